"""Many games in one process: arrays in, arrays out, nothing allocated and nothing copied.

>>> env = VectorEnv(num_envs=64)
>>> batch = env.reset(seed=1)
>>> for _ in range(1000):
...     batch = env.step(env.sample())
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .core import batch as core
from .core import deal, engine
from .core._jit import jit
from .core.actions import NUM_ACTIONS
from .core.cards import SEATS
from .core.rules import Rules
from .core.state import STATE, Mask, State, States, new_states
from .episode import (
    GOES_ON,
    TERMINATED,
    TRUNCATED,
    Terms,
    begin,
    forced_action,
    pay,
    take,
    terms_of,
)
from .explain import require_legal
from .notation import IllegalAction
from .observation import SIZE, STATE_SIZE, encode_state, observe
from .options import EnvOptions, place_options
from .symmetry import (
    Order,
    Orders,
    Tables,
    canonical_actions,
    canonical_tables,
    relabel,
    true_action,
)
from .view import look

Actions: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Batch:
    """What `reset` and `step` return: the same arrays every time, written anew by the next call.

    Attributes:
        observation: float32[N, F], for the seat to act in each game.
        action_mask: int8[N, 72], 1 where that seat's action is legal.
        seat: int64[N], the seat to act.
        reward: float32[N, 4], by seat: all that was paid inside the call, due to each seat's last
            decision.
        terminated: bool[N], an episode ended inside the call and the next has begun.
        truncated: bool[N], a match was cut short and the next has begun.
        state: float32[N, S], all there is to know, relative to the seat to act; None if not asked
            for.
        final_observation: float32[N, 4, F], by seat, where a match was truncated; None if none can
            be.
        final_state: float32[N, 4, S], by seat, the same for `state`; None if not asked for.
    """

    observation: npt.NDArray[np.float32]
    action_mask: npt.NDArray[np.int8]
    seat: npt.NDArray[np.int64]
    reward: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    state: npt.NDArray[np.float32] | None
    final_observation: npt.NDArray[np.float32] | None
    final_state: npt.NDArray[np.float32] | None


class VectorEnv:
    """`num_envs` games in lockstep; each is reset, in the same step, when its episode ends.

    Game i depends on (rules, seed, i) alone: neither the number of games nor of threads changes it.

    Attributes:
        states: The games themselves, STATE[N]. Copy the array out to save; copy it back and call
            `refresh` to go on from there.
        batch: What the last call returned.

    Args:
        num_envs: How many games.
        rules: A variant's name or a `Rules`.
        episode: "deal" or "match".
        reward: "score" or "win".
        max_deals: Truncates a match after so many deals.
        on_illegal: "raise", or "terminate" the episode of the game concerned.
        state: Whether to write `Batch.state` too.
        canonical_suits: Whether observation, mask, state and actions use each seat's canonical
            suits.
        play_forced: Whether a seat with one legal action (a proposal to concede not counted) has
            it played at once.
        threads: How many threads share the work.

    Raises:
        ValueError: An option is out of its range.
    """

    def __init__(
        self,
        num_envs: int,
        rules: str | Rules = "standard",
        episode: str = "deal",
        reward: str = "score",
        max_deals: int | None = None,
        on_illegal: str = "raise",
        state: bool = False,
        canonical_suits: bool = False,
        play_forced: bool = False,
        threads: int = 1,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("threads", threads)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"{name} is {value!r}; an int of 1 or more is valid")
        self.options = EnvOptions.make(
            rules, episode=episode, reward=reward, max_deals=max_deals, on_illegal=on_illegal
        )
        self.num_envs = num_envs
        self.threads = threads
        self.states: States = new_states(num_envs)
        self.states["rules"] = self.options.rules.record()
        cut = episode == "match" and max_deals is not None
        self.batch = _new_batch(num_envs, state, finals=cut)
        self._terms = terms_of(self.options, None)
        self._how = _How(play_forced, canonical_suits, on_illegal == "terminate")
        self._orders = np.zeros((num_envs, 4), np.int8)
        self._orders[:] = np.arange(4)
        self._words = np.zeros(num_envs, np.uint64)
        self._actions = np.zeros(num_envs, np.int64)
        self._seeded = False
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    @property
    def rules(self) -> Rules:
        """The variant played."""
        return self.options.rules

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Batch:
        """Begin an episode in every game.

        Args:
            seed: Game i then begins the stream (seed, i). Without one each game goes on with its
                own, which is drawn the first time.
            options: `dealer` and `score` hold for every episode until the next reset, `hands` for
                the first deal alone.

        Raises:
            ValueError: An option is out of its range, or misspelt; nothing has changed.
        """
        trial = self.states[:1].copy()
        core.new_matches(trial)
        place_options(trial[0], options)
        if seed is not None or not self._seeded:
            number = deal.check_seed(seed)
            core.seed_streams(self.states, number)
            core.seed_words(self._words, number)
            self._seeded = True
        given = {name for name, value in (options or {}).items() if value is not None}
        self._terms = terms_of(self.options, trial[0], given)
        _begin(self.states, self._terms)
        if "hands" in given:
            self.states["dealt"] = trial[0].dealt
            core.begin(self.states)
        for flags in (self.batch.reward, self.batch.terminated, self.batch.truncated):
            flags[...] = 0
        return self.refresh()

    def step(self, actions: npt.ArrayLike) -> Batch:
        """Take one action in every game.

        Args:
            actions: int[N], in canonical suits if the environment was made so.

        Raises:
            IllegalAction: An action is illegal and `on_illegal` is "raise"; no game has moved.
            ValueError: The shape or type is wrong, or there was no reset.
        """
        self._read(actions)
        batch = self.batch
        self._split(
            _step,
            self.states,
            self._actions,
            self._orders,
            self._terms,
            self._how,
            batch.reward,
            batch.terminated,
            batch.truncated,
            _or_empty(batch.final_observation, 3),
            _or_empty(batch.final_state, 3),
        )
        return self.refresh()

    def refresh(self) -> Batch:
        """Write `batch` for `states` as they are, after they were copied into."""
        batch = self.batch
        self._split(
            _show,
            self.states,
            self._orders,
            self._how,
            batch.observation,
            batch.action_mask,
            batch.seat,
            _or_empty(batch.state, 2),
        )
        return batch

    def sample(self) -> npt.NDArray[np.int64]:
        """A uniform legal action for each game, int64[N], from streams of its own."""
        if not self._seeded:
            raise ValueError("sample: reset must be called first")
        actions = np.empty(self.num_envs, np.int64)
        core.sample(self.batch.action_mask, self._words, actions)
        return actions

    def views(self) -> States:
        """What the seat to act knows in each game, STATE[N], for an agent's `act_many`."""
        views = np.empty(self.num_envs, STATE)
        _look(self.states, views)
        return views

    def as_taken(self, actions: Actions) -> Actions:
        """Actions of the table's suits, int64[N], as `step` takes them."""
        return canonical_actions(actions, self._orders) if self._how.canonical else actions

    def tables_as_taken(self, tables: Tables, games: Actions) -> Tables:
        """Of the games numbered `games`, int64[M]: `tables` by actions, bool[M, 72], likewise."""
        return canonical_tables(tables, self._orders[games]) if self._how.canonical else tables

    def close(self) -> None:
        """Let go of the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _read(self, actions: npt.ArrayLike) -> None:
        """Check all actions before any is taken, and keep them in the table's suits."""
        given = np.asarray(actions)
        if not self._seeded:
            raise ValueError("step: reset must be called first")
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions of shape {given.shape}, {given.dtype}; ({self.num_envs},) ints are valid"
            )
        self._actions[:] = given
        wrong = _first_illegal(self.states, self._actions, self._orders, self._how.canonical)
        if wrong >= 0 and self.options.on_illegal == "raise":
            try:
                require_legal(self.states[wrong], int(self._actions[wrong]))
            except IllegalAction as error:
                raise IllegalAction(f"game {wrong}: {error}") from error

    def _split(self, work: Callable[..., None], *arguments: Any) -> None:
        """Run compiled `work` over all games, shared out among the threads."""
        if self.threads == 1:
            work(0, self.num_envs, *arguments)
            return
        if self._pool is None or self._pool_process != os.getpid():
            # A forked process inherits the pool but none of its threads.
            self._pool, self._pool_process = ThreadPoolExecutor(self.threads), os.getpid()
        edges = np.linspace(0, self.num_envs, self.threads + 1).astype(int)
        parts = [
            self._pool.submit(work, start, stop, *arguments) for start, stop in pairwise(edges)
        ]
        for part in parts:
            part.result()

    def __getstate__(self) -> dict[str, Any]:
        """All but the threads."""
        return {**self.__dict__, "_pool": None}

    def __copy__(self) -> VectorEnv:
        return copy.deepcopy(self)


class _How(NamedTuple):
    """How games are stepped and shown, for compiled code."""

    play_forced: bool
    canonical: bool
    terminate_illegal: bool


def _new_batch(number: int, state: bool, finals: bool) -> Batch:
    return Batch(
        observation=np.zeros((number, SIZE), np.float32),
        action_mask=np.zeros((number, NUM_ACTIONS), np.int8),
        seat=np.zeros(number, np.int64),
        reward=np.zeros((number, SEATS), np.float32),
        terminated=np.zeros(number, np.bool_),
        truncated=np.zeros(number, np.bool_),
        state=np.zeros((number, STATE_SIZE), np.float32) if state else None,
        final_observation=np.zeros((number, SEATS, SIZE), np.float32) if finals else None,
        final_state=np.zeros((number, SEATS, STATE_SIZE), np.float32) if finals and state else None,
    )


def _or_empty(array: npt.NDArray[np.float32] | None, axes: int) -> npt.NDArray[np.float32]:
    """The array, or an empty one of as many axes: compiled code knows no None."""
    return np.empty((0,) * axes, np.float32) if array is None else array


@jit
def _begin(states: States, terms: Terms) -> None:
    for i in range(states.size):
        begin(states[i], terms)


@jit
def _look(states: States, views: States) -> None:
    for i in range(states.size):
        look(states[i], states[i].seat, views[i])


@jit
def _first_illegal(states: States, actions: Actions, orders: Orders, canonical: bool) -> int:
    """Turn `actions` into the table's suits; the first game whose action is illegal, or -1."""
    wrong = -1
    mask = np.empty(NUM_ACTIONS, np.int8)
    for i in range(states.size):
        in_range = 0 <= actions[i] < NUM_ACTIONS
        if in_range and canonical:
            actions[i] = true_action(actions[i], orders[i])
        engine.legal(states[i], mask)
        if wrong < 0 and not (in_range and mask[actions[i]]):
            wrong = i
    return wrong


@jit
def _step(
    start: int,
    stop: int,
    states: States,
    actions: Actions,
    orders: Orders,
    terms: Terms,
    how: _How,
    reward: Floats,
    terminated: Flags,
    truncated: Flags,
    final_observation: Floats,
    final_state: Floats,
) -> None:
    mask, scratch = np.empty(NUM_ACTIONS, np.int8), np.empty(1, STATE)
    for i in range(start, stop):
        reward[i] = 0
        flag = _take_checked(states[i], actions[i], terms, how, reward[i], mask)
        while flag == GOES_ON and how.play_forced:
            action = forced_action(states[i], mask)
            if action < 0:
                break
            flag = take(states[i], action, terms, reward[i])
        terminated[i] = flag == TERMINATED
        truncated[i] = flag == TRUNCATED
        if flag == TRUNCATED:
            for seat in range(SEATS):
                look(states[i], seat, scratch[0])
                observe(scratch[0], how.canonical, orders[i], mask, final_observation[i, seat])
                if final_state.size:
                    _show_state(states, i, seat, how, scratch, orders[i], final_state[i, seat])
        if flag != GOES_ON:
            begin(states[i], terms)


@jit
def _take_checked(
    state: State, action: int, terms: Terms, how: _How, reward: Floats, mask: Mask
) -> int:
    """Take the action; an illegal one ends the episode against the team, where that was asked."""
    if how.terminate_illegal:
        engine.legal(state, mask)
        if not (0 <= action < NUM_ACTIONS and mask[action]):
            pay(reward, 1 - (state.seat & 1), 1.0)
            return TERMINATED
    return take(state, action, terms, reward)


@jit
def _show(
    start: int,
    stop: int,
    states: States,
    orders: Orders,
    how: _How,
    observation: Floats,
    action_mask: Mask,
    seats: Actions,
    state: Floats,
) -> None:
    # A record does not keep its array alive in compiled code; the loops keep this one alive.
    scratch = np.empty(1, STATE)
    for i in range(start, stop):
        seats[i] = states[i].seat
        look(states[i], seats[i], scratch[0])
        observe(scratch[0], how.canonical, orders[i], action_mask[i], observation[i])
    if state.size:
        for i in range(start, stop):
            _show_state(states, i, seats[i], how, scratch, orders[i], state[i])


@jit
def _show_state(
    states: States, i: int, seat: int, how: _How, scratch: States, order: Order, out: Floats
) -> None:
    """Write the critic's state relative to `seat`, in the order of suits just shown."""
    scratch[0] = states[i]
    if how.canonical:
        relabel(scratch[0], order)
    encode_state(scratch[0], seat, out)
