"""Touti for PettingZoo: four seats that take turns, `player_0` to `player_3`.

>>> env = raw_env()
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     over = terminated or truncated
...     env.step(None if over else env.action_space(agent).sample(info["action_mask"]))

An observation is what its seat may know, so hidden decisions stay hidden in it: while somebody else
is asked for a Ghna, or a concession is talked about, it shows the next public turn. Whoever drives
the loop sees `agent_selection`, whose masks are not zero, and how many steps pass: keep these from
a player.
"""

from __future__ import annotations

import copy
import operator
import warnings
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from . import render
from .core import batch, deal, engine
from .core._jit import jit
from .core.actions import NUM_ACTIONS
from .core.cards import SEATS
from .core.rules import Rules
from .core.state import STATE, Mask, State, States, copy_states, new_states
from .episode import GOES_ON, TERMINATED, TRUNCATED, Terms, pay, take, terms_of
from .explain import require_legal
from .notation import IllegalAction
from .observation import SIZE, STATE_SIZE, Vector, encode, encode_state
from .options import EnvOptions, place_options
from .render import Pixels
from .view import look

AGENTS = tuple(f"player_{seat}" for seat in range(SEATS))

_SEAT_OF = {agent: seat for seat, agent in enumerate(AGENTS)}
_ENDS = -1  # `_advance`: the action would end the deal


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's name
    """One game of Touti, as the Agent Environment Cycle.

    Copies, by `clone`, `copy`, `deepcopy` or `pickle`, go on exactly as the original would, deals
    to come included.

    Attributes:
        options: What it was made with.
        infos: By agent: `action_mask`, int8[72], zero off turn. From the end of a deal until the
            seat has acted also `contract`, `points` (of cards, by team), `total` (the declaring
            team's), `scored` (the team, or -1), `score` (of the match, by team) and `deals` (how
            many have ended). After an illegal action that ended the episode, `illegal`.
        state_space: Of `state()`.

    Args:
        rules: A variant's name or a `Rules`.
        episode: `deal`, or `match` to the target.
        reward: `score`: ± contract / 100 to the team that scores a deal and to the other; `win`:
            ± 1 at the end of the episode.
        max_deals: Truncates a match after so many deals.
        on_illegal: An illegal action may `raise` IllegalAction and change nothing, or `terminate`
            the episode: -1 to the offender's team, +1 to the other.
        render_mode: `human` prints the whole table at every step; `ansi`, `svg` and `rgb_array` let
            `render` return it as text, an SVG document, or pixels (with the extra `[rgb]`).

    Raises:
        ImportError: `rgb_array` without the extra `[rgb]`.
        ValueError: An option is out of its range.
    """

    metadata = {  # noqa: RUF012 - PettingZoo's form
        "name": "touti_v0",
        "render_modes": list(render.MODES),
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str | Rules = "standard",
        episode: str = "deal",
        reward: str = "score",
        max_deals: int | None = None,
        on_illegal: str = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.options = EnvOptions.make(
            rules, episode=episode, reward=reward, max_deals=max_deals, on_illegal=on_illegal
        )
        self.render_mode = render.check(render_mode)
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {agent: observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self.state_space = spaces.Box(0, 1, (STATE_SIZE,), np.float32)
        # The game, and the deal it was or is in before `take` begins another.
        self._states: States = new_states(2)
        self._states["rules"] = self.options.rules.record()
        self._seen: States = new_states(1)
        self._mask: Mask = np.zeros(NUM_ACTIONS, np.int8)
        self._terms: Terms = terms_of(self.options, None)
        self._over = True
        self._paid = False
        self.agents: list[str] = []
        self.agent_selection = AGENTS[0]

    def observation_space(self, agent: str) -> spaces.Dict:
        """`observation`, float32[F] in [0, 1], and `action_mask`, int8[72]."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The 72 actions, of which the mask allows some."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: Where the deals come from, 0 to 2^63 - 1: those of `Game(seed=seed)`. Without one
                the environment goes on with its own stream, drawn the first time.
            options: `hands` (four of ten cards, ids or words), `dealer` and `score`; all optional.

        Raises:
            ValueError: A value is out of its range; nothing has changed.
        """
        states = copy_states(self._states)
        game = states[:1]
        if seed is not None or states[0]["deals"] == 0:
            batch.seed_streams(game, deal.check_seed(seed))
        batch.new_matches(game)
        place_options(game[0], options)
        batch.legal_at(game, 0, self._mask)
        self._states = states
        self._begin(AGENTS[game[0].seat])
        if self.render_mode == "human":
            self.render()

    def _begin(self, agent: str) -> None:
        """All four seats are in, and it is the turn of `agent`."""
        self._over = self._paid = False
        self.agents = list(AGENTS)
        self.agent_selection = agent
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": _no_action()} for agent in AGENTS
        }
        self._show_mask()

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What `agent` may know and do now: new arrays, which no later step changes."""
        vector = np.empty(SIZE, np.float32)
        _see(self._states, _SEAT_OF[agent], self._seen, vector)
        mask = self._mask.copy() if agent == self.agent_selection else _no_action()
        return {"observation": vector, "action_mask": mask}

    def step(self, action: SupportsIndex | None) -> None:
        """Take `agent_selection`'s action, or None for a seat whose episode is over.

        Raises:
            IllegalAction: The rules forbid it now, and `on_illegal` is `raise`, or it is None;
                nothing changed.
            TypeError: It is no integer; nothing changed.
            ValueError: A seat whose episode is over can take None alone.
            ResetNeeded: There was no reset, or all four seats are done.
        """
        if self._over:
            self._dead_step(action)
            return
        if action is None:
            raise IllegalAction(f"step: {self.agent_selection} is to act; None is for done seats")
        number = operator.index(action)
        if not 0 <= number < NUM_ACTIONS or not self._mask[number]:
            self._illegal(number)
        else:
            self._take(number)
        if self.render_mode == "human":
            self.render()

    def _take(self, action: int) -> None:
        """Take a legal action."""
        agent = self.agent_selection
        seat = _advance(self._states, self._mask, action)
        if self._paid:
            self.rewards = dict.fromkeys(AGENTS, 0.0)
            self._paid = False
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"action_mask": _no_action()}
        if seat == _ENDS:
            self._end_deal(action)
        else:
            self.agent_selection = AGENTS[seat]
        self._show_mask()

    def _show_mask(self) -> None:
        """Put the mask into the info of the seat to act, beside what it has not seen yet."""
        agent = self.agent_selection
        self.infos[agent] = {**self.infos[agent], "action_mask": self._mask.copy()}

    def _end_deal(self, action: int) -> None:
        """The action that ends the deal: pay, and begin the next or end the episode."""
        paid = np.zeros(SEATS)
        flag = _take_last(self._states, self._mask, action, self._terms, paid)
        facts = _facts(self._states[1])
        for agent in AGENTS:
            self.infos[agent] = {**self.infos[agent], **facts}
        self._pay(paid)
        if flag == GOES_ON:
            if self.render_mode == "human":
                render.show(self._states[1], "human")
            self.agent_selection = AGENTS[self._states[0].seat]
        else:
            self._end_episode(flag)

    def _pay(self, paid: npt.NDArray[np.float64]) -> None:
        self.rewards = {agent: float(paid[seat]) for agent, seat in _SEAT_OF.items()}
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward
        self._paid = True

    def _end_episode(self, flag: int) -> None:
        self.terminations = dict.fromkeys(AGENTS, flag == TERMINATED)
        self.truncations = dict.fromkeys(AGENTS, flag == TRUNCATED)
        self._mask[:] = 0
        self._over = True
        self.agent_selection = AGENTS[0]

    def _illegal(self, action: int) -> None:
        """An illegal action: raise, or end the episode against the whole team."""
        if self.options.on_illegal == "raise":
            require_legal(self._states[0], action)
        seat = _SEAT_OF[self.agent_selection]
        self._cumulative_rewards[self.agent_selection] = 0.0
        paid: Any = np.zeros(SEATS)
        pay(paid, 1 - (seat & 1), 1.0)
        self._pay(paid)
        self._end_episode(TERMINATED)
        self.infos = {agent: {"action_mask": _no_action(), "illegal": True} for agent in AGENTS}

    def _dead_step(self, action: SupportsIndex | None) -> None:
        """Let go of a seat whose episode is over."""
        if not self.agents:
            raise ResetNeeded("step: no agent is left; call reset() to begin an episode")
        if action is not None:
            raise ValueError(f"step: {self.agent_selection} is done; None alone is valid")
        agent = self.agent_selection
        self.agents.remove(agent)
        for kept in (self.rewards, self._cumulative_rewards, self.infos):
            del kept[agent]
        del self.terminations[agent], self.truncations[agent]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def state(self) -> npt.NDArray[np.float32]:
        """All there is to know, float32[S] relative to seat 0: for a critic, never for a player."""
        vector = np.empty(STATE_SIZE, np.float32)
        encode_state(self._states[0], 0, vector)
        return vector

    def view(self, agent: str) -> State:
        """What `agent` may know, as the record that an `Agent`'s `act` takes."""
        seen: States = np.empty(1, STATE)
        _look(self._states, _SEAT_OF[agent], seen)
        return seen[0]

    def render(self) -> str | Pixels | None:
        """The whole table in the `render_mode` it was made with, as `render.show` does."""
        if self.render_mode is None:
            valid = ", ".join(render.MODES)
            warnings.warn(f"render: made without a render_mode; valid are {valid}", stacklevel=2)
            return None
        return render.show(self._states[0], self.render_mode)

    def close(self) -> None:
        """There is nothing to let go of."""

    def clone(self) -> raw_env:
        """An independent copy, which goes on exactly as this one would."""
        return copy.deepcopy(self)

    def __copy__(self) -> raw_env:
        return self.clone()


class OrderedEnv(OrderEnforcingWrapper):
    """A `raw_env` that refuses, as PettingZoo's environments do, what comes before `reset`."""

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, npt.NDArray[Any]] | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, flags and info of `agent_selection`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        result: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return result

    def clone(self) -> OrderedEnv:
        """An independent copy, which goes on exactly as this one would."""
        return copy.deepcopy(self)

    def __copy__(self) -> OrderedEnv:
        return self.clone()

    def __str__(self) -> str:
        return str(self.env)


def env(
    rules: str | Rules = "standard",
    episode: str = "deal",
    reward: str = "score",
    max_deals: int | None = None,
    on_illegal: str = "raise",
    render_mode: str | None = None,
) -> OrderedEnv:
    """A `raw_env`, which checks every action by itself, under a check of the order of calls.

    Raises:
        ValueError: An option is out of its range.
    """
    return OrderedEnv(raw_env(rules, episode, reward, max_deals, on_illegal, render_mode))


def observation_space() -> spaces.Dict:
    """A seat's observation: the vector that `observation.TABLE` names, and the mask."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (SIZE,), np.float32),
            "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
    )


def _no_action() -> Mask:
    return np.zeros(NUM_ACTIONS, np.int8)


def _facts(ended: State) -> dict[str, Any]:
    """What the table knows of a deal that has just ended."""
    return {
        "contract": int(ended.contract),
        "points": (int(ended.points[0]), int(ended.points[1])),
        "total": int(ended.total),
        "scored": int(ended.scored),
        "score": (int(ended.score[0]), int(ended.score[1])),
        "deals": int(ended.deals),
    }


@jit
def _advance(states: States, mask: Mask, action: int) -> int:
    """Take a legal action in state 0 and write the next mask; returns the seat to act.

    An action that would end the deal is taken in state 1 alone, and _ENDS returned.
    """
    states[1] = states[0]
    engine.apply(states[1], action)
    if engine.is_over(states[1]):
        return _ENDS
    states[0] = states[1]
    engine.legal(states[0], mask)
    seat: int = states[0].seat
    return seat


@jit
def _take_last(states: States, mask: Mask, action: int, terms: Terms, paid: Any) -> int:
    """Take an action that ends the deal in state 0; returns whether the episode goes on."""
    flag: int = take(states[0], action, terms, paid)
    engine.legal(states[0], mask)
    return flag


@jit
def _look(states: States, seat: int, seen: States) -> None:
    """Write what a seat of state 0 may know to `seen`, STATE[1]."""
    look(states[0], seat, seen[0])


@jit
def _see(states: States, seat: int, seen: States, out: Vector) -> None:
    """Write what a seat of state 0 may know to `seen`, and its observation to `out`, float32[F]."""
    look(states[0], seat, seen[0])
    encode(seen[0], out)
