"""Perfect-information Monte Carlo: deals the unseen cards many times and tries each action in all.

A *world* is a full deal that fits what the seat has seen (`worlds.py`). Every legal action is tried
in every world, and the one after which the contract is made in most of them is taken; for the
defenders, fails in most. Points decide between equals.

| judge | the value of an action in a world |
|---|---|
| `solver` | the total when all four seats then see all cards and play their best |
| `playout` | the total when a player then plays all seats, each seeing its own (`playout.py`) |
| `both` | the votes of the two, added |

The solver is blind to one thing: it takes it that the seat will know in every world which one it is
in (*strategy fusion*). A playout never does, but is no better than the player's play. Being cheaper
it is tried in four times as many worlds.

Calls and the naming of trump are left to the bidder, and where the search begins at a later trick,
the cards before it. Once the contract is made or out of reach nothing is searched any more
(`choices.py`), and a deal is given up only when it is made already.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from ... import agent, notation, solver
from ...agent import Actions, Agent, BatchAgent, Words, act_many
from ...core.actions import CONCEDE, NUM_ACTIONS
from ...core.cards import HAND_SIZE
from ...core.deal import word_at
from ...core.state import State, States
from .choices import ASK_BIDDER, SEARCH, sort_out
from .playout import play_out
from .worlds import draw

Values: TypeAlias = npt.NDArray[np.int64]
"""What speaks for each action, from the declaring team's view; whole numbers, since sums of floats
would depend on how the worlds are shared out among threads."""
Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and what to call it with."""

NODES = 200_000  # the most that the solver looks at for one action in one world
SKETCH = 300  # and to break a tie, where bounds will do
CONTRACT = 100_000  # what a contract counts where a point of the total counts 2
PLAYED = 4  # so many worlds are played out for each one solved
ROUND = 4  # worlds a thread looks at before the clock is looked at again

JUDGES = ("solver", "playout", "both")


class Pimc(BatchAgent):
    """Searches the play; the bidder calls and names trump.

    Attributes:
        kind: What its name and its errors begin with.
        usual: What the name need not say.

    Args:
        bidder: Calls, names trump, and judges what others did.
        player: Plays deals out.
        since: The first trick whose cards are searched, 1 to 10; those before are the bidder's.
        worlds: How many deals are solved for one decision; four times as many are played out.
        ms: If more than 0, as many as milliseconds of time allow instead: not reproducible.
        threads: How many work at the same time; actions are the same. Bidder and player are asked
            by several at once.
        judge: `solver`, `playout` or `both`.
        weigh: Whether worlds are weighed by how well they explain what the others did.

    Raises:
        ValueError: An option is out of its range.
    """

    kind = "pimc"
    usual: ClassVar[dict[str, Any]] = {
        "since": 1,
        "judge": "both",
        "weigh": "true",
        "bidder": "heuristic",
        "playout": "heuristic",
    }

    def __init__(
        self,
        bidder: Agent,
        player: Agent,
        worlds: int = 20,
        ms: float = 0.0,
        threads: int = 1,
        judge: str = "both",
        weigh: bool = True,
        since: int = 1,
    ):
        if worlds < 1 or threads < 1 or ms < 0:
            raise ValueError(
                f"{self.kind}: worlds {worlds}, threads {threads}, ms {ms}; "
                "1 or more worlds and threads, 0 or more ms are valid"
            )
        if judge not in JUDGES:
            raise ValueError(f"{self.kind}: judge is {judge!r}; valid are {', '.join(JUDGES)}")
        if not 1 <= since <= HAND_SIZE:
            valid = f"a trick from 1 to {HAND_SIZE} is valid"
            raise ValueError(f"{self.kind}: since is {since}; {valid}")
        self.bidder, self.player = bidder, player
        self.worlds, self.ms, self.threads = worlds, ms, threads
        self.judge, self.weigh, self.since = judge, weigh, since
        self._pool: ThreadPoolExecutor | None = None
        self.name = self._name()

    def _name(self) -> str:
        said = {
            "since": self.since,
            "judge": self.judge,
            "weigh": str(self.weigh).lower(),
            "bidder": self.bidder.name,
            "playout": self.player.name,
        }
        words = [f"ms={self.ms:g}" if self.ms else f"worlds={self.worlds}"]
        words += [f"{key}={value}" for key, value in said.items() if value != self.usual[key]]
        return f"{self.kind}?{'&'.join(words)}"

    def act_many(self, views: States, words: Words) -> Actions:
        """Legal action ids, one for each view."""
        chosen = np.empty(views.size, np.int64)
        sort_out(views, self.since, chosen)
        asked = chosen == ASK_BIDDER
        if asked.any():
            chosen[asked] = act_many(self.bidder, views[asked], words[asked])
        rows = np.flatnonzero(chosen == SEARCH)
        if self.ms:
            for row in rows:
                chosen[row] = self._in_time(views[row], int(words[row]))
        elif len(rows):
            chosen[rows] = self._search(views[rows], words[rows])
        return chosen

    def _search(self, views: States, words: Words) -> list[int]:
        """The actions that `self.worlds` worlds speak for, view by view."""
        parts = -(-self.threads // len(views))
        pairs = zip(views, words, strict=True)
        drawn = self._map([(self._draw, (view, word, self.worlds)) for view, word in pairs])
        tasks = [task for worlds in drawn for task in self._tasks(worlds, self.worlds, parts)]
        values = np.array(self._map(tasks)).reshape(len(views), -1, NUM_ACTIONS).sum(1)
        return [_best(*pair) for pair in zip(views, values, strict=True)]

    def _in_time(self, view: State, word: int) -> int:
        """The action that as many worlds speak for as there is time to look at."""
        end = time.perf_counter() + self.ms / 1000
        sums = np.zeros(NUM_ACTIONS, np.int64)
        number, size = 0, ROUND * self.threads
        while number == 0 or time.perf_counter() < end:
            worlds = self._draw(view, word_at(np.uint64(word), number), size)
            sums += np.sum(self._map(self._tasks(worlds, size, self.threads)), axis=0)
            number += 1
        return _best(view, sums)

    def _draw(self, view: State, word: np.uint64, number: int) -> States:
        """As many worlds as the judge needs to look at `number`."""
        number *= 1 if self.judge == "solver" else PLAYED
        return draw(view, int(word), number, self.bidder if self.weigh else None)

    def _tasks(self, worlds: States, number: int, parts: int) -> list[Task]:
        """What is to be found out about the worlds, for threads to share."""
        tasks: list[Task] = []
        if self.judge != "playout":
            tasks += [(self._solve, (part,)) for part in np.array_split(worlds[:number], parts)]
        if self.judge != "solver":
            tasks += [(self._play_out, (part,)) for part in np.array_split(worlds, parts)]
        return tasks

    def _solve(self, worlds: States) -> Values:
        """How much the solver has to say for each action, int64[72], summed over the worlds."""
        sums = np.zeros(NUM_ACTIONS, np.int64)
        if len(worlds):
            votes = solver.vote(worlds, NODES)
            sums += PLAYED * CONTRACT * (votes.made - votes.failed)
            if self.judge == "solver":
                lower, upper = solver.totals(worlds, SKETCH)
                sums += PLAYED * (lower + upper).astype(np.int64).sum(0)
        return sums

    def _play_out(self, worlds: States) -> Values:
        """And what the playouts have to say."""
        sums = np.zeros(NUM_ACTIONS, np.int64)
        if len(worlds):
            actions = _choices(worlds[0])
            totals = play_out(worlds, actions, self.player)
            made = np.where(totals >= worlds[0].contract, CONTRACT, -CONTRACT)
            sums[actions] = (made + 2 * totals).sum(1)
        return sums

    def _map(self, tasks: Sequence[Task]) -> list[Any]:
        """The results of every task, by as many threads as there are."""
        if self.threads == 1 or len(tasks) == 1:
            return [function(*arguments) for function, arguments in tasks]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, "pimc")
        return list(self._pool.map(lambda task: task[0](*task[1]), tasks))

    def __getstate__(self) -> dict[str, Any]:
        """All but the threads."""
        return {**self.__dict__, "_pool": None}


def _choices(state: State) -> list[int]:
    """What is worth trying: every legal action but to give up."""
    return [action for action in notation.legal_actions(state) if action != CONCEDE]


def _best(view: State, values: Values) -> int:
    """The action for which, to the declaring team, most speaks; for the defenders, least."""
    side = 1 if (view.seat ^ view.declarer) & 1 == 0 else -1
    return max(_choices(view), key=lambda action: side * int(values[action]))


def load(
    worlds: int = 20,
    ms: float = 0.0,
    threads: int = 1,
    bidder: str = "heuristic",
    playout: str = "heuristic",
    judge: str = "both",
    weigh: bool = True,
    since: int = 1,
) -> Pimc:
    """The searching player; `pimc?worlds=100&threads=4` looks further with more threads."""
    players = agent.load(bidder), agent.load(playout)
    return Pimc(*players, worlds, ms, threads, judge, weigh, since)
