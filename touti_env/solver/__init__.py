"""Double dummy: what a deal comes to when all four seats see every card and play their best.

The questions are asked about a full state in the play (cards on the table, a Ghna asked, a
concession proposed: all the same); the answer is the declaring team's total (docs/rules.md §9.1),
Ghna under the contract's cap included.

| question | answer |
|---|---|
| `points(state)` | the total |
| `made(state)` | whether it reaches the contract; much quicker to tell |
| `bounds(state, nodes)` | what is known of the total after so much work |
| `values(state)` | the total after each legal action |
| `best_line(state)` | actions to the end of the deal, each of them best |
| `par(hands, opener)` | totals and contracts of a deal before trump, by declarer and trump |
| `vote(states)`, `totals(states)` | about each legal action in many states at once |
| `right(states)` | which actions keep the contract, or its failure, where others lose it |

Proposing to concede changes nothing here: the partner refuses, since no play of the declaring team
could bring more than conceding does.

Everything is exact unless `nodes` limits the work. Threads may ask at the same time: each has a
table of its own, and `vote` and `totals` let go of the GIL. An answer depends on its state alone,
and so does what is known after so many nodes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import notation
from ..core import actions, batch
from ..core.actions import CONCEDE, LEVELS, NUM_ACTIONS
from ..core.cards import SEATS, SUITS
from ..core.rules import Rules, as_rules
from ..core.state import STATE, State, States, new_states
from . import answers
from .answers import NONE
from .position import BUCKETS, PLIES, Workspace, new_workspace

__all__ = [
    "Bounds",
    "Par",
    "Votes",
    "best_line",
    "bounds",
    "last_nodes",
    "made",
    "par",
    "points",
    "right",
    "totals",
    "values",
    "vote",
]

UNLIMITED = 1 << 60
SMALL = 1 << 12  # buckets enough for yes or no, and soon in the processor's cache


@dataclass(frozen=True)
class Bounds:
    """What is known of a total.

    Attributes:
        lower: It is at least this.
        upper: It is at most this.
        nodes: How many positions were looked at.
    """

    lower: int
    upper: int
    nodes: int

    @property
    def exact(self) -> bool:
        """Whether the total is known."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Votes:
    """How many states' contracts are made after each action, and how many are not.

    Attributes:
        made: int64[72], by action.
        failed: int64[72]; where the two do not add up to the number of states, the action is not
            legal, or `nodes` did not suffice to tell.
        nodes: How many positions were looked at.
    """

    made: npt.NDArray[np.int64]
    failed: npt.NDArray[np.int64]
    nodes: int


@dataclass(frozen=True)
class Par:
    """What a deal is worth to each declarer under each trump.

    Attributes:
        totals: int16[4, 4, 4], by declarer, trump and the contract's place among 70, 80, 90 and
            more: the total under that contract's cap on Ghna (§7.3).
        contracts: int16[4, 4], by declarer and trump: the highest contract made, 0 for none.
    """

    totals: npt.NDArray[np.int16]
    contracts: npt.NDArray[np.int16]


class _Local(threading.local):
    """What each thread searches with, made when it first asks."""

    workspace: Workspace | None = None


_local = _Local()


def _workspace(buckets: int = BUCKETS) -> Workspace:
    """This thread's workspace, with a table of `buckets`."""
    if _local.workspace is None:
        _local.workspace = new_workspace()
    _local.workspace["buckets"] = buckets
    return _local.workspace


def _checked(states: States | State) -> States:
    """The states as an array of the one kind that the compiled code was made for.

    Raises:
        ValueError: One of them is a view, or not in the play.
    """
    array: States = np.atleast_1d(np.require(states, STATE, ["C", "A", "W"]))
    if answers.any_view(array):
        raise ValueError("solver: a view hides cards; pass a full state, or resample(view, rng)")
    if not answers.all_in_play(array):
        raise ValueError("solver: a state is not in the play; trump must have been named")
    return array


def points(state: State) -> int:
    """The declaring team's total under best play."""
    return bounds(state, UNLIMITED).lower


def bounds(state: State, nodes: int) -> Bounds:
    """Bounds of the total after looking at about `nodes` positions."""
    lower, upper = answers.ask(_workspace(), _checked(state), False, nodes)
    return Bounds(int(lower), int(upper), last_nodes())


def made(state: State, nodes: int = UNLIMITED) -> bool | None:
    """Whether the contract is made under best play; None if about `nodes` positions do not tell."""
    lower, upper = answers.ask(_workspace(SMALL), _checked(state), True, nodes)
    return bool(lower) if lower == upper else None


def values(state: State) -> dict[int, int]:
    """The total after each legal action, in the order of their ids."""
    [lower] = totals(_checked(state))[0]
    return {int(action): int(lower[action]) for action in np.flatnonzero(lower != NONE)}


def totals(
    states: States, nodes: int = UNLIMITED
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Bounds of the total after each legal action of each state.

    Args:
        states: N full states in the play.
        nodes: How many positions to look at, about, for one action of one state.

    Returns:
        Lower and upper bounds, int16[N, 72] each, -1 where an action is not legal. They are equal
        unless `nodes` did not suffice.
    """
    out = _ask_each(_workspace(), _checked(states), False, nodes)
    return out[..., 0], out[..., 1]


def vote(states: States, nodes: int = UNLIMITED) -> Votes:
    """In how many of the states the contract is made after each action, and in how many not.

    Args:
        states: N full states in the play, such as `resample(view, rng, N)` draws.
        nodes: How many positions to look at, about, for one action of one state.
    """
    out = _ask_each(_workspace(SMALL), _checked(states), True, nodes)
    made, failed = (out[..., 0] == 1).sum(0), (out[..., 1] == 0).sum(0)
    return Votes(made, failed, last_nodes())


def right(states: States) -> npt.NDArray[np.bool_]:
    """Which actions are right: the side to act wins after them, and there are others it loses by.

    The declaring team wins when its contract is made, the defenders when it fails.

    Args:
        states: N full states in the play.

    Returns:
        bool[N, 72]; a row is all False where the deal is won or lost whatever is done. To propose a
        concession is never right.
    """
    array = _checked(states)
    out = _ask_each(_workspace(SMALL), array, True, UNLIMITED)[..., 0]
    declaring = (array["seat"] ^ array["declarer"]) & 1 == 0
    wins = out == declaring[:, None]
    loses = (out != NONE) & ~wins
    wins[:, CONCEDE] = False
    return wins & loses.any(1, keepdims=True)


def last_nodes() -> int:
    """How many positions this thread's last question looked at."""
    return int(_workspace()["nodes"][0])


def _ask_each(workspace: Workspace, states: States, made: bool, nodes: int) -> answers.Answers:
    out = np.empty((len(states), NUM_ACTIONS, 2), np.int16)
    child, mask = np.zeros(1, STATE), np.empty(NUM_ACTIONS, np.int8)
    answers.ask_each(workspace, states, made, nodes, child, mask, out)
    return out


def best_line(state: State) -> list[int]:
    """Actions that lead from `state` to the end of the deal, each of them best for its seat.

    Where several are best it is the one with the lowest id.
    """
    states, mask = np.zeros(2, STATE), np.empty(NUM_ACTIONS, np.int8)
    states[:1] = _checked(state)
    line = np.empty(PLIES, np.int64)
    number = answers.follow_best(_workspace(), states, UNLIMITED, mask, line)
    return [int(action) for action in line[:number]]


def par(
    hands: Iterable[str | Iterable[str | int]], opener: int, rules: str | Rules = "standard"
) -> Par:
    """What a deal is worth, before trump is named, to each declarer under each trump.

    Args:
        hands: Four collections of ten cards, as ids or words.
        opener: The seat that leads to the first trick, 0 to 3.
        rules: A variant's name or a `Rules`.

    Raises:
        ValueError: The hands are not the whole pack, or the opener is no seat.
    """
    if isinstance(opener, bool) or opener not in range(SEATS):
        raise ValueError(f"par: opener {opener!r} is no seat; 0 to 3 are valid")
    states = new_states(1)
    states["rules"] = as_rules(rules).record()
    states["dealt"] = notation.parse_hands(hands)
    states["dealer"] = (opener - 1) % SEATS
    batch.begin(states)
    by_team = np.empty((2, SUITS, 4), np.int16)
    answers.ask_trumps(_workspace(), states, UNLIMITED, by_team)
    by_seat = by_team[[0, 1, 0, 1]]
    highest = np.zeros((SEATS, SUITS), np.int16)
    for level in range(1, LEVELS + 1):
        contract = actions.contract_of(level)
        highest[by_seat[..., min(level, 4) - 1] >= contract] = contract
    return Par(by_seat, highest)
