"""Touti for Gymnasium: one seat learns, the three others are played by given agents.

>>> env = SingleEnv(partner="uniform", opponents="uniform")
>>> observation, info = env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from . import render
from .aec import AGENTS, observation_space, raw_env
from .agent import Agent, act, as_agent, blaming
from .core import engine
from .core.actions import NUM_ACTIONS
from .core.cards import SEATS
from .core.deal import check_seed
from .core.rules import Rules
from .core.state import State
from .episode import forced_action
from .explain import require_legal
from .observation import SIZE, encode
from .symmetry import canonical_order, relabel, true_action

Observation = dict[str, npt.NDArray[Any]]


class SingleEnv(gymnasium.Env[Observation, int]):
    """An episode as one seat lives it: from its decision to its next.

    The reward of a step is all that is paid to the seat until its next decision. Infos hold
    `action_mask`, `seat`, and what `raw_env` tells of the deals that have ended since the seat's
    last decision. An episode in which the seat has nothing to decide is passed over.

    Attributes:
        seat: Where the learner sits in this episode.
        partner: The agent opposite; `seat_agents` seats another.
        opponents: The agent at both other seats.

    Args:
        rules: A variant's name or a `Rules`.
        episode: `deal`, or `match` to the target.
        reward: `score` or `win`, as in `raw_env`.
        max_deals: Truncates a match after so many deals.
        on_illegal: What an illegal action of the learner does: `raise` IllegalAction and change
            nothing, or `terminate` the episode at -1. The agents' own always raise.
        render_mode: `human` prints what the seat sees at every decision and at the end; `ansi`,
            `svg` and `rgb_array` let `render` return it as text, an SVG document, or pixels (with
            the extra `[rgb]`), `rgb_array` also to Gymnasium's `RecordVideo`.
        partner: The agent opposite, or its `agent.load` line.
        opponents: The agent at both other seats, or its `agent.load` line.
        seat: The learner's seat 0 to 3, or None to draw one for each episode.
        play_forced: Whether a seat with one legal action (a proposal to concede not counted) has it
            played at once.
        canonical_suits: Whether observation, mask and actions use the seat's canonical suits.

    Raises:
        ImportError: `rgb_array` without the extra `[rgb]`.
        TypeError: An agent is neither a line nor an `Agent`.
        ValueError: An option is out of its range, or there is no such agent.
    """

    metadata = {  # noqa: RUF012 - Gymnasium's form
        "render_modes": list(render.MODES),
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: str | Rules = "standard",
        episode: str = "deal",
        reward: str = "score",
        max_deals: int | None = None,
        on_illegal: str = "raise",
        render_mode: str | None = None,
        partner: str | Agent = "heuristic",
        opponents: str | Agent = "heuristic",
        seat: int | None = 0,
        play_forced: bool = False,
        canonical_suits: bool = False,
    ) -> None:
        if seat is not None and seat not in range(SEATS):
            raise ValueError(f"seat is {seat!r}; 0 to {SEATS - 1}, or None to draw it, is valid")
        self.options = raw_env(rules, episode, reward, max_deals, on_illegal).options
        self.render_mode = render.check(render_mode)
        self.observation_space: Any = observation_space()
        self.action_space: Any = spaces.Discrete(NUM_ACTIONS)
        # The agents' illegal actions raise in any case; the learner's are caught before they come.
        self._table = raw_env(self.options.rules, episode, reward, max_deals)
        self.partner: Agent = as_agent("partner", partner)
        self.opponents: Agent = as_agent("opponents", opponents)
        self._play_forced, self._canonical = play_forced, canonical_suits
        self._fixed_seat = seat
        self.seat = seat or 0
        self._order = np.arange(4, dtype=np.int8)
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._news: dict[str, Any] = {}
        self._over, self._reward = True, 0.0

    def seat_agents(
        self, partner: str | Agent | None = None, opponents: str | Agent | None = None
    ) -> None:
        """Seat other agents, at any time; they play from their next decision on.

        Vector environments reach it by name: `envs.call("seat_agents", opponents=...)`, or
        `envs.env_method(...)` where that is the word. What is given to a worker in another process
        must pickle.

        Args:
            partner: The agent opposite, or its `agent.load` line; None keeps the one there is.
            opponents: The agent at both other seats, or its line; None keeps the one there is.

        Raises:
            TypeError: It is neither a line nor an `Agent`; nothing has changed.
            ValueError: There is no such agent; nothing has changed.
        """
        seated = (
            self.partner if partner is None else as_agent("partner", partner),
            self.opponents if opponents is None else as_agent("opponents", opponents),
        )
        self.partner, self.opponents = seated

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode and play to the seat's first decision.

        Args:
            seed: As in `raw_env.reset`; it also seeds the seat drawn and the agents' chance.
            options: As in `raw_env.reset`.

        Raises:
            ValueError: A value is out of its range; nothing has changed.
        """
        seed = None if seed is None else check_seed(seed)
        if seed is None and self._np_random is None:
            seed = check_seed(None)
        self._table.reset(seed, options)
        super().reset(seed=seed)
        self._begin()
        while self._over:
            self._table.reset()
            self._begin()
        return self._look(), self._info()

    def _begin(self) -> None:
        """Take a seat at the table that was just reset, and let the others play."""
        if self._fixed_seat is None:
            self.seat = int(self.np_random.integers(SEATS))
        self._over = False
        self._news, self._reward = {}, 0.0
        self._play_on()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take the seat's action and play to its next decision, or to the end.

        Args:
            action: An id, in the seat's canonical suits if the environment was made so.

        Raises:
            IllegalAction: The rules forbid it now, and `on_illegal` is `raise`; nothing changed.
            TypeError: It is no integer.
            ResetNeeded: The episode is over, or there was no reset.
        """
        if self._over:
            raise ResetNeeded("step: there is no episode; call reset() to begin one")
        number = operator.index(action)
        if not 0 <= number < NUM_ACTIONS or not self._mask[number]:
            return self._illegal(number)
        self._news = {}
        self._take(true_action(number, self._order))
        self._play_on()
        me, reward = AGENTS[self.seat], self._reward
        self._reward = 0.0
        ended = self._table.terminations[me], self._table.truncations[me]
        return self._look(), reward, *ended, self._info()

    def _illegal(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """An illegal action of the learner: raise, or end the episode."""
        if self.options.on_illegal == "raise":
            known = 0 <= action < NUM_ACTIONS
            require_legal(self.view(), true_action(action, self._order) if known else action)
        self._over = True
        self._news = {"illegal": True}
        return self._look(), -1.0, True, False, self._info()

    def _play_on(self) -> None:
        """Let the agents play until the seat has something to decide, or the episode is over."""
        me = AGENTS[self.seat]
        while not self._table.terminations[me] and not self._table.truncations[me]:
            seat = AGENTS.index(self._table.agent_selection)
            view = self._table.view(AGENTS[seat])
            if seat == self.seat:
                action = forced_action(view, self._mask) if self._play_forced else -1
                if action < 0:
                    return
                self._take(action)
            else:
                agent = self.partner if seat == self.seat ^ 2 else self.opponents
                with blaming(agent):
                    self._take(act(agent, view, self.np_random))
        self._over = True

    def _take(self, action: int) -> None:
        """Take any seat's action, and note what it pays and tells the learner."""
        me = AGENTS[self.seat]
        self._table.step(action)
        self._reward += self._table.rewards[me]
        self._news |= self._table.infos[me]

    def _look(self) -> Observation:
        """The seat's observation; the mask and the order of suits are kept for the action."""
        view = self._table.view(AGENTS[self.seat])
        if self._canonical:
            canonical_order(view, self._order)
            relabel(view, self._order)
        engine.legal(view, self._mask)
        if self._over:
            self._mask[:] = 0
        vector = np.empty(SIZE, np.float32)
        encode(view, vector)
        if self.render_mode == "human":
            self.render()
        return {"observation": vector, "action_mask": self._mask.copy()}

    def _info(self) -> dict[str, Any]:
        return {**self._news, "action_mask": self._mask.copy(), "seat": self.seat}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal now, bool[72]: what sb3-contrib's MaskablePPO asks for."""
        return self._mask.astype(np.bool_)

    def view(self) -> State:
        """What the seat may know, as the record that an `Agent`'s `act` takes; true suits."""
        return self._table.view(AGENTS[self.seat])

    def render(self) -> Any:
        """What the seat sees in the `render_mode` it was made with, as `render.show` does."""
        if self.render_mode is None:
            valid = ", ".join(render.MODES)
            gymnasium.logger.warn(f"render: render_mode is None; valid are {valid}")
            return None
        return render.show(self.view(), self.render_mode)
