"""Experience by self-play: all games move at once, one network call a step.

In each deal, or match, the learner plays all four seats, or one team against a past self or against
a bot; which team is drawn anew for each. Only the learner's decisions are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from touti_env import solver
from touti_env.adapters.networks import masked_log_softmax
from touti_env.agent import Agent, act_many
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.cards import SEATS
from touti_env.core.state import STATE, Phase
from touti_env.observation import SIZE, STATE_SIZE
from touti_env.vector import VectorEnv

from .gae import advantages
from .network import Actor, Critic, draw
from .options import NEVER

Rows: TypeAlias = npt.NDArray[np.int64]
Decide: TypeAlias = Callable[[int, Rows], tuple[Rows, npt.NDArray[np.float32]]]

CPU = torch.device("cpu")
SELF, PAST, BOT = 0, 1, 2


@dataclass(frozen=True)
class Experience:
    """What was collected in K steps of all games together, and which of it is the learner's.

    The tensors are windows on the collector's memory: the next collecting writes over them.

    Attributes:
        own: int64[M], which of the K are decisions to learn from.
        state: float32 or bfloat16 [K, STATE_SIZE]; the first SIZE columns are the observation.
        mask: int8[K, A].
        phase: int64[K], which `Phase` the decision is of.
        action: int64[K], in the suits that the seats see.
        log_prob: float32[K], of the action when it was taken.
        value: float32[K], the critic's then.
        advantage: float32[K], how much better than expected it went on.
        returns: float32[K], what the critic should have said.
        right: bool[K, A], the cards that `solver.right` tells from wrong ones; none where it was
            not asked.
        episodes: How many episodes ended.
    """

    own: Tensor
    state: Tensor
    mask: Tensor
    phase: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    advantage: Tensor
    returns: Tensor
    right: Tensor
    episodes: int

    def __len__(self) -> int:
        return len(self.own)

    def part(self, rows: Tensor) -> Experience:
        """Copies of the decisions `rows`, int64, of the M."""
        picked = self.own[rows]
        columns = {name: getattr(self, name).index_select(0, picked) for name in COLUMNS}
        return replace(self, own=torch.arange(len(picked), device=picked.device), **columns)


COLUMNS = tuple(field.name for field in fields(Experience) if field.name not in ("own", "episodes"))
"""What an `Experience` has for each of its K."""


def learned(experiences: Sequence[Experience], name: str) -> Tensor:
    """A column of all decisions to learn from, of several experiences together."""
    return torch.cat([getattr(experience, name)[experience.own] for experience in experiences])


def in_play(experience: Experience) -> Experience:
    """With those decisions alone that come after the auction."""
    late = experience.phase[experience.own] >= Phase.PLAY
    return replace(experience, own=experience.own[late])


def normalised(experiences: Sequence[Experience], by_phase: bool) -> list[Experience]:
    """With advantages of mean 0 and deviation 1, over all or in each phase; the returns stay."""
    phase, advantage = (learned(experiences, name) for name in ("phase", "advantage"))
    mean, spread = (x.repeat(len(Phase)) for x in (advantage.mean(), advantage.std()))
    for kind in Phase if by_phase else ():
        part = advantage[phase == kind]
        if len(part):
            mean[kind], spread[kind] = part.mean(), part.std(correction=0)
    spread += 1e-8
    return [
        replace(e, advantage=(e.advantage - mean[e.phase]) / spread[e.phase]) for e in experiences
    ]


def joined(experiences: Sequence[Experience]) -> Experience:
    """Several as one, in memory of its own."""
    starts = np.cumsum([0, *(len(experience.action) for experience in experiences)])
    columns = {
        name: torch.cat([getattr(experience, name) for experience in experiences])
        for name in COLUMNS
    }
    return Experience(
        own=torch.cat([e.own + int(start) for e, start in zip(experiences, starts, strict=False)]),
        episodes=sum(experience.episodes for experience in experiences),
        **columns,
    )


class Collector:
    """Plays `steps` actions in each game of `env` at every call, and keeps what the learner did.

    Args:
        env: With critic's states; it has been reset.
        steps: How many actions a game, T.
        shares: How often a deal is played against a past self, and against the bot.
        bot: An agent.
        seed: Of all that this collector draws.
        kind: What numbers the networks are given, float32 or bfloat16.
        device: Where the networks are, and where experience is kept. Chance stays on the CPU.
        scale: What is paid is multiplied by it.
    """

    def __init__(
        self,
        env: VectorEnv,
        steps: int,
        shares: tuple[float, float],
        bot: Agent,
        seed: int,
        kind: torch.dtype = torch.float32,
        device: torch.device = CPU,
        scale: float = 1.0,
    ) -> None:
        self.env, self.steps, self.bot, self.device = env, steps, bot, device
        self.scale = scale
        self.rng = np.random.default_rng(seed)
        self.chance = torch.Generator().manual_seed(seed)
        self.rivalry = np.cumsum((1 - sum(shares), shares[0]))
        games = env.num_envs
        self.rival = np.zeros(games, np.int8)
        self.team = np.zeros(games, np.int8)
        self._draw_rivals(np.ones(games, np.bool_))
        self._state = torch.empty((steps, games, STATE_SIZE), dtype=kind, device=device)
        self._mask = torch.empty((steps, games, NUM_ACTIONS), dtype=torch.int8, device=device)
        self._right = torch.zeros((steps, games, NUM_ACTIONS), dtype=torch.bool)
        self._phase, self._action, self._seat = (
            np.empty((steps, games), np.int64) for _ in range(3)
        )
        self._log_prob = np.empty((steps, games), np.float32)
        self._reward = np.empty((steps, games, 4), np.float32)
        self._ended, self._cut, self._own = (np.empty((steps, games), np.bool_) for _ in range(3))

    def self_play(
        self, actor: Actor, critic: Critic, past: Actor, solver_since: int = NEVER, **gae: float
    ) -> Experience:
        """The learner plays by its network; `gae` is gamma and gae_lambda.

        From trick `solver_since` on, 1 to 10, the solver says which of its cards would be right.
        """

        def decide(t: int, rows: Rows) -> tuple[Rows, npt.NDArray[np.float32]]:
            self._solve(t, rows, solver_since)
            return self._sample(actor, t, rows)

        self._run(decide, past)
        return self._experience(critic, **gae)

    def imitate(self, teacher: Agent, critic: Critic, **gae: float) -> Experience:
        """The teacher plays every seat; its decisions are kept as if they were the learner's."""
        self.rival[:] = SELF
        self._run(lambda _, rows: (self._ask(teacher, rows), np.zeros(len(rows), np.float32)), None)
        return self._experience(critic, **gae)

    def state_dict(self) -> dict[str, Any]:
        """All that the next call depends on, of types that a checkpoint can hold."""
        return {
            "states": torch.from_numpy(self.env.states.view(np.uint8).copy()),
            "rival": torch.from_numpy(self.rival.copy()),
            "team": torch.from_numpy(self.team.copy()),
            "rng": json.dumps(self.rng.bit_generator.state),
            "chance": self.chance.get_state(),
        }

    def load_state_dict(self, content: dict[str, Any]) -> None:
        """Go back to what `state_dict` said."""
        self.env.states[:] = content["states"].numpy().view(STATE)
        self.env.refresh()
        self.rival[:] = content["rival"].numpy()
        self.team[:] = content["team"].numpy()
        self.rng.bit_generator.state = json.loads(content["rng"])
        self.chance.set_state(content["chance"])

    def _run(self, decide: Decide, past: Actor | None) -> None:
        """Play `steps` actions in every game; with no past self there are no rivals at all."""
        env, batch = self.env, self.env.batch
        assert batch.state is not None
        state, mask = torch.from_numpy(batch.state), torch.from_numpy(batch.action_mask)
        self._right.zero_()
        for t in range(self.steps):
            own = (self.rival == SELF) | (batch.seat & 1 == self.team)
            self._state[t], self._mask[t] = state, mask
            self._phase[t], self._seat[t], self._own[t] = env.states["phase"], batch.seat, own
            actions = self._action[t]
            rows = np.flatnonzero(own)
            actions[rows], self._log_prob[t, rows] = decide(t, rows)
            if past is not None:
                rows = np.flatnonzero(~own & (self.rival == PAST))
                actions[rows], _ = self._sample(past, t, rows)
                rows = np.flatnonzero(~own & (self.rival == BOT))
                actions[rows] = self._ask(self.bot, rows)
            env.step(actions)
            self._reward[t], self._cut[t] = self.scale * batch.reward, batch.truncated
            self._ended[t] = batch.terminated | batch.truncated
            if past is not None:
                self._draw_rivals(self._ended[t])

    @torch.inference_mode()
    def _sample(self, actor: Actor, t: int, rows: Rows) -> tuple[Rows, npt.NDArray[np.float32]]:
        """An action in each of `rows` by the actor's probabilities, and its log-probability."""
        if not len(rows):
            return rows, np.empty(0, np.float32)
        picked = torch.from_numpy(rows).to(self.device)
        logits = actor(observation_of(self._state[t].index_select(0, picked)))
        log_probs = masked_log_softmax(logits, self._mask[t].index_select(0, picked))
        uniform = torch.rand(len(rows), generator=self.chance).to(self.device)
        action = draw(log_probs, uniform)
        chosen = log_probs.gather(1, action[:, None]).squeeze(1)
        return action.cpu().numpy(), chosen.cpu().numpy()

    def _solve(self, t: int, rows: Rows, since: int) -> None:
        """Note which cards are right in those of `rows` that are decisive, from trick `since` on.

        That is so with all hands in sight, which the actor has not. Where few cards are left it
        mostly holds for what the actor sees, too, on the average over what it does not see.
        """
        states = self.env.states
        late = (states["phase"] == Phase.PLAY) & (states["played"] >= SEATS * (since - 1))
        asked = rows[late[rows]]
        if len(asked):
            right = self.env.tables_as_taken(solver.right(states[asked]), asked)
            self._right[t].numpy()[asked] = right

    def _ask(self, player: Agent, rows: Rows) -> Rows:
        """The player's action in each of `rows`, as the environment takes it."""
        actions = np.zeros(self.env.num_envs, np.int64)
        words = self.rng.integers(2**64, size=len(rows), dtype=np.uint64)
        actions[rows] = act_many(player, self.env.views()[rows], words)
        taken: Rows = self.env.as_taken(actions)[rows]
        return taken

    def _draw_rivals(self, fresh: npt.NDArray[np.bool_]) -> None:
        """Draw whom the learner meets in the episodes that begin, and with which team."""
        number = int(fresh.sum())
        self.rival[fresh] = np.searchsorted(self.rivalry, self.rng.random(number), side="right")
        self.team[fresh] = self.rng.integers(2, size=number)

    @torch.inference_mode()
    def _experience(self, critic: Critic, gamma: float, gae_lambda: float) -> Experience:
        """Value everything at once, estimate advantages, and keep the learner's decisions."""
        state = self._state.flatten(0, 1)
        value = torch.cat([critic(part) for part in state.chunk(self.steps)]).cpu().numpy()
        value = value.reshape(self._seat.shape)
        advantage, known = advantages(
            self._reward, self._ended, self._seat, value, gamma, gae_lambda, self._cut
        )

        def flatten(array: Any) -> Tensor:
            return torch.from_numpy(array).flatten(0, 1).to(self.device)

        return Experience(
            own=torch.from_numpy(np.flatnonzero(known & self._own)).to(self.device),
            state=state,
            mask=self._mask.flatten(0, 1),
            phase=flatten(self._phase),
            action=flatten(self._action),
            log_prob=flatten(self._log_prob),
            value=flatten(value),
            advantage=flatten(advantage),
            returns=flatten(value + advantage),
            right=self._right.flatten(0, 1).to(self.device),
            episodes=int(self._ended.sum()),
        )


def observation_of(state: Tensor) -> Tensor:
    """The observation inside a critic's state."""
    return state[:, :SIZE]
