"""Honest comparisons of agents: duplicate matches, and every pair of a field of agents.

Each deal is played at two tables, with the same hands, dealer and chance: agent A sits at seats 0
and 2 of the first and at seats 1 and 3 of the second. The value of the deal is the mean over both
tables of A's score minus B's, in points, so the luck of the hands cancels, and a policy against
itself scores exactly 0. Deals are played at 0:0, one by one; a cancelled one is worth 0 points.

| what | how |
|---|---|
| deals | of streams that no environment draws: see `evaluation_key` |
| what an agent sees | the view of the seat it plays, and nothing else |
| chance | the word of a decision depends on the deal and how many actions came before, alone |
| illegal action | counted; the legal action of the lowest id is taken instead |
| no integer for an action | an error that names the agent and the seat |
| one legal action | taken at once: the agent is not asked, and it is no decision |
| time | of the processor, all threads together, after some untimed decisions to warm up |

>>> from touti_env import agent, arena
>>> uniform = agent.load("uniform")
>>> match = arena.duplicate(uniform, uniform, deals=20)
>>> match.mean, match.standard_error
(0.0, 0.0)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .agent import Agent, Words, act_many
from .core import deal, engine
from .core._jit import jit
from .core.actions import BID_STEP, LEVELS, MIN_BID, NUM_ACTIONS, PASS
from .core.cards import CARDS, SEATS
from .core.rules import Rules, as_rules
from .core.state import AUCTION, OVER, STATE, Mask, State, States, new_states
from .results import LEAVINGS, SIGNALS, CrossPlay, Match, Tally
from .view import look

Ints: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.NDArray[np.float64]
Progress: TypeAlias = Callable[[float, int], None]
"""Called with how many deals are played, in parts too, and how many there are."""
Keep: TypeAlias = Callable[[Match], None]
"""Called with the match as far as it is played."""

WARM_UP = 8  # deals in which an agent is asked before the clock is started
UPPER_HALF = np.uint64(2**63)
CHANCE = np.uint64(0xD1B54A32D192ED03)  # sets the agents' chance apart from the shuffling


def evaluation_key(seed: int, index: int) -> np.uint64:
    """The key of the stream that deals the evaluation deal `index` of `seed`.

    The seeds of games and environments are 0 to 2^63 - 1. Evaluation counts its own from 2^63 on,
    so no training, whatever its seed, is given the deals that the arena plays.

    Args:
        seed: 0 to 2^63 - 1.
        index: Which deal, from 0.

    Returns:
        The key for `deal.seed_stream`: the first dealer and the hands follow from it.
    """
    shifted = np.uint64(deal.check_seed(seed)) + UPPER_HALF
    return np.uint64(deal.game_key(shifted, index))  # type: ignore[arg-type]


def _keys(seed: int, first: int, last: int) -> Words:
    """The keys of the deals from `first` up to `last`, which is not one of them."""
    return np.array([evaluation_key(seed, index) for index in range(first, last)], np.uint64)


def duplicate(
    a: Agent,
    b: Agent,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "standard",
    batch: int = 512,
    progress: Progress | None = None,
    begun: Match | None = None,
    keep: Keep | None = None,
) -> Match:
    """Play `deals` deals between two agents, each at two tables.

    Args:
        a: The agent whose lead is measured.
        b: Its opponent; may be the same object.
        deals: How many, at least 2.
        seed: Which deals, 0 to 2^63 - 1; another agent meets the same ones with the same seed.
        rules: A variant's name or a `Rules`.
        batch: How many deals are played at once. It changes the speed and nothing else, as long as
            an agent's answers do not depend on what else it is asked along with them.
        progress: Told how far the match is.
        begun: The first deals of this very match, if they have been played before.
        keep: Given the match after every `batch` deals, so that it can be taken up from there.

    Raises:
        IllegalAction: An agent answers with something else than integers, one a view.
        ValueError: An argument is out of its range, or `begun` belongs to another match.
    """
    rules, seed = as_rules(rules), deal.check_seed(seed)
    check_number("deals", deals, 2)
    check_number("batch", batch, 1)
    played = _check_begun(begun, a, b, deals, seed, rules)
    if played < deals:
        for agent in (a, b):
            _Player(agent).warm_up(_keys(seed, 0, WARM_UP), rules)
    match = begun
    for first in range(played, deals, batch):
        last = min(first + batch, deals)
        keys = _keys(seed, first, last)
        players = (_Player(a), _Player(b))
        tables = _play(players, keys, rules, part_of(progress, first, deals))
        tallies = (players[0].tally(tables, 0), players[1].tally(tables, 1))
        cancelled = int(np.count_nonzero(tables["declarer"] < 0))
        part = Match(tallies, rules, seed, tuple(_values(tables).tolist()), cancelled)
        match = part if match is None else match + part
        if keep:
            keep(match)
    assert match is not None  # at least two deals
    return match


def _check_begun(
    begun: Match | None, a: Agent, b: Agent, deals: int, seed: int, rules: Rules
) -> int:
    """How many deals of the match are played; raises where `begun` is no beginning of it."""
    if begun is None:
        return 0
    names = tuple(tally.name for tally in begun.agents)
    if (begun.rules, begun.seed, names) != (rules, seed, (a.name, b.name)) or begun.deals > deals:
        raise ValueError(
            f"begun is a match of {' and '.join(names)}, {begun.deals} deals of seed {begun.seed} "
            f"with rules {begun.rules.name}; it cannot become one of {a.name} and {b.name}, "
            f"{deals} deals of seed {seed} with rules {rules.name}"
        )
    return begun.deals


def cross_play(
    agents: Sequence[Agent],
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "standard",
    batch: int = 512,
    progress: Progress | None = None,
) -> CrossPlay:
    """Every pair of two or more agents, on the same deals; the arguments are those of `duplicate`.

    Raises:
        ValueError: As for `duplicate`, or there are fewer than two agents.
    """
    if len(agents) < 2:
        raise ValueError(f"cross-play needs two agents or more, not {len(agents)}")
    pairs = list(combinations(agents, 2))
    matches = []
    for number, (a, b) in enumerate(pairs):
        part = part_of(progress, number * deals, len(pairs) * deals)
        matches.append(duplicate(a, b, deals, seed, rules, batch, part))
    return CrossPlay(tuple(agent.name for agent in agents), tuple(matches))


def part_of(progress: Progress | None, before: int, total: int) -> Progress | None:
    """The progress of a part that begins after `before` deals, told as progress of the whole."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, total)


def check_number(name: str, value: int, low: int) -> None:
    """Raise unless `value` is an integer of at least `low`.

    Raises:
        ValueError: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        raise ValueError(f"{name} is {value!r}; an integer of at least {low} is valid")


class _Player:
    """An agent in a match, and what it has done so far."""

    def __init__(self, agent: Agent) -> None:
        if not callable(getattr(agent, "act", None)):
            raise TypeError(f"{agent!r} is no agent; agent.load makes one from its name")
        self.agent = agent
        self.decisions = self.illegal = 0
        self.seconds = 0.0

    def decide(self, views: States, words: Words) -> Ints:
        """The agent's answers, int64[N], to `views`, STATE[N]; timed."""
        begun = time.process_time()
        actions = act_many(self.agent, views, words)
        self.seconds += time.process_time() - begun
        self.decisions += len(views)
        return actions

    def warm_up(self, keys: Words, rules: Rules) -> None:
        """Have the agent decide untimed, so that compiling and loading are not counted.

        It is asked once in each phase of each trick, to lead and to follow. Always the lowest legal
        action is taken, so that the deals of `keys` are bid and played to their end. In half of
        them nobody outbids the first bid: a low contract is in doubt for long, so that a search
        has something to look at in late tricks too.
        """
        tables = new_states(len(keys))
        tables["rules"] = rules.record()
        _begin(tables, keys)
        masks = np.zeros((len(tables), NUM_ACTIONS), np.int8)
        taken, asked = np.zeros(len(tables), np.int64), np.empty(len(tables), np.int64)
        met = set()
        half = np.arange(len(tables)) < len(tables) // 2
        while _advance(tables, masks, taken, asked):
            rows = np.flatnonzero(asked >= 0)
            for row in rows:
                played = int(tables["played"][row])
                place = int(tables["phase"][row]), played // SEATS, played % SEATS == 0
                if place not in met:
                    act_many(self.agent, *_show(tables, keys, taken, np.array([row])))
                met.add(place)
            outbid = half & (tables["phase"] == AUCTION) & (tables["contract"] > 0)
            masks[outbid, :PASS] = 0
            _take(tables, masks, rows, masks[rows].argmax(1), taken)

    def tally(self, tables: States, side: int) -> Tally:
        """What this agent, `side` 0 or 1, did at finished `tables`, STATE[2 N]."""
        number = np.arange(len(tables))
        declarer = tables["declarer"]
        own = (declarer >= 0) & ((declarer + number) & 1 == side)
        levels = (tables["contract"] - MIN_BID) // BID_STEP
        made = own & (tables["scored"] == declarer & 1)
        seated = (np.arange(SEATS) + number[:, None]) & 1 == side
        left = tables["announced"][seated & (tables["left_at"] >= 0)]
        signals = tables["signals"][seated]
        return Tally(
            self.agent.name,
            _count(levels[own], LEVELS),
            _count(levels[made], LEVELS),
            _count(left, len(LEAVINGS)),
            _count(signals[signals > 0] - 1, len(SIGNALS)),
            self.decisions,
            self.illegal,
            self.seconds,
        )


def _count(values: npt.NDArray[np.signedinteger[Any]], number: int) -> tuple[int, ...]:
    """How often each of 0 .. `number` - 1 occurs."""
    return tuple(np.bincount(values, minlength=number).tolist())


def _play(
    players: tuple[_Player, _Player], keys: Words, rules: Rules, progress: Progress | None
) -> States:
    """The finished tables of the deals of `keys`: two a deal, side by side.

    Player p sits at the seats s of table i with (s + i) % 2 == p.
    """
    tables = new_states(2 * len(keys))
    tables["rules"] = rules.record()
    keys = np.repeat(keys, 2)
    _begin(tables, keys)
    masks = np.zeros((len(tables), NUM_ACTIONS), np.int8)
    taken = np.zeros(len(tables), np.int64)
    asked = np.empty(len(tables), np.int64)
    while _advance(tables, masks, taken, asked):
        for side, player in enumerate(players):
            rows = np.flatnonzero(asked == side)
            if len(rows):
                actions = player.decide(*_show(tables, keys, taken, rows))
                player.illegal += _take(tables, masks, rows, actions, taken)
        _tell(progress, tables)
    _tell(progress, tables)
    return tables


def _tell(progress: Progress | None, tables: States) -> None:
    """Tell how many of the deals at `tables` are played, by the cards on the table."""
    if progress:
        played = np.where(tables["phase"] == OVER, CARDS, tables["played"])
        progress(float(played.sum()) / (2 * CARDS), len(tables) // 2)


def _show(tables: States, keys: Words, taken: Ints, rows: Ints) -> tuple[States, Words]:
    """The views, STATE[N], and random words, uint64[N], of the seats to act at tables `rows`."""
    views = np.zeros(len(rows), STATE)
    words = np.empty(len(rows), np.uint64)
    _look(tables, keys, taken, rows, views, words)
    return views, words


def _values(tables: States) -> Values:
    """The value of each deal, float64[N], from its two finished tables, STATE[2 N]."""
    score = tables["score"].astype(np.float64)
    lead = score[:, 0] - score[:, 1]
    return (lead[0::2] - lead[1::2]) / 2


@jit
def _begin(tables: States, keys: Words) -> None:
    """Deal: the first dealer and the hands of table i are those of the stream `keys[i]`."""
    for i in range(tables.size):
        deal.seed_stream(tables[i], keys[i])
        engine.new_match(tables[i])


@jit
def _advance(tables: States, masks: Mask, taken: Ints, asked: Ints) -> int:
    """Bring every table to its next choice; returns how many are not over.

    Writes the legal actions to `masks`, int8[N, 72], the number of actions so far to `taken`, and
    to `asked` which player, 0 or 1, has to choose; -1 at a finished table.
    """
    going = 0
    for i in range(tables.size):
        taken[i] += _to_choice(tables[i], masks[i])
        asked[i] = -1
        if not engine.is_over(tables[i]):
            asked[i] = (tables[i].seat ^ i & 1) & 1
            going += 1
    return going


@jit
def _to_choice(state: State, mask: Mask) -> int:
    """Take the action where only one is legal, again and again; returns how many were taken."""
    taken = 0
    while not engine.is_over(state):
        engine.legal(state, mask)
        if mask.sum() > 1:
            break
        engine.apply(state, np.argmax(mask))  # type: ignore[arg-type]
        taken += 1
    return taken


@jit
def _look(
    tables: States, keys: Words, taken: Ints, rows: Ints, views: States, words: Words
) -> None:
    """Fill in what `_show` returns."""
    for k in range(rows.size):
        i = rows[k]
        look(tables[i], tables[i].seat, views[k])
        words[k] = deal.word_at(deal.mix(keys[i] ^ CHANCE), taken[i])


@jit
def _take(tables: States, masks: Mask, rows: Ints, actions: Ints, taken: Ints) -> int:
    """Take the answers at tables `rows`; returns how many were illegal and replaced."""
    illegal = 0
    for k in range(rows.size):
        i = rows[k]
        action = actions[k]
        if action < 0 or action >= NUM_ACTIONS or masks[i, action] == 0:
            illegal += 1
            action = np.argmax(masks[i])
        engine.apply(tables[i], action)
        taken[i] += 1
    return illegal
