"""Touti for RLlib, Ray's library for learning on one machine or many; needs the extra `[rllib]`.

>>> from touti_env.adapters import rllib
>>> algorithm = rllib.ppo_config({"rules": "standard"}).build_algo()
>>> result = algorithm.train()
>>> rllib.export(algorithm.get_module("shared"), "policy.safetensors")

It is made for RLlib's new API stack. Policies see canonical suits, as policy files do.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from torch import Tensor

from ..aec import AGENTS, observation_space
from ..agent import Agent, act_many, as_agent
from ..baselines import net
from ..core.actions import NUM_ACTIONS
from ..core.cards import SEATS
from ..core.rules import as_rules
from ..observation import SIZE, STATE_SIZE
from ..vector import VectorEnv
from .networks import Perceptron, masked_log_softmax

POLICIES = ("shared", "teams")

ByAgent = dict[str, Any]


class TablesEnv(MultiAgentEnv):
    """Some tables in lockstep; the episode is over when every table has finished its own.

    Each step shows the seats that have to decide, of each table one at most. A seat is paid, with
    its next decision, all that it has earned since its last; what it earns after its last comes
    with the end of the episode. So what RLlib keeps for a seat sums to what its table paid it.

    RLlib wants every agent named beforehand: seat 2 of table 7 is `player_2@7`.

    To sample whole episodes RLlib plays all environments of a worker until as many episodes are
    over as there are environments, and forgets the others. So the tables are in one environment,
    and every deal that is begun is learned from.

    Args:
        config: RLlib's `env_config`; every key is optional:

            tables: How many; 16.
            rules, episode, reward: As in `VectorEnv`. A match is played to the target.
            frozen: Seats that are played by agents, which learn nothing: {seat: agent or its
                `agent.load` line}.
            frozen_tables: At how many of the tables; all unless it is told.
            state: Whether observations have a key `state`, all there is to know, for a critic.
            play_forced: As in `VectorEnv`, but on unless it is turned off.

    Raises:
        TypeError: A key is unknown, or an agent is neither a line nor an `Agent`.
        ValueError: An option is out of its range, or there is no such agent.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._open(**(config or {}))

    def _open(
        self,
        *,
        tables: int = 16,
        rules: Any = "standard",
        episode: str = "deal",
        reward: str = "score",
        frozen: Mapping[int, str | Agent] | None = None,
        frozen_tables: int | None = None,
        state: bool = False,
        play_forced: bool = True,
    ) -> None:
        self._games = VectorEnv(
            tables,
            rules,
            episode,
            reward,
            state=state,
            canonical_suits=True,
            play_forced=play_forced,
        )
        self._learns = who_learns(tables, frozen, frozen_tables)
        self._frozen = {
            seat: as_agent(f"frozen[{seat}]", agent) for seat, agent in (frozen or {}).items()
        }
        space = observation_space()
        if state:
            space["state"] = spaces.Box(0, 1, (STATE_SIZE,), np.float32)
        self._names = [[f"{player}@{table}" for player in AGENTS] for table in range(tables)]
        self.possible_agents = [
            self._names[table][seat] for table, seat in np.argwhere(self._learns)
        ]
        self.agents = self.possible_agents
        self.observation_spaces = dict.fromkeys(self.agents, space)
        self.action_spaces = dict.fromkeys(self.agents, spaces.Discrete(NUM_ACTIONS))
        self._seed: int | None = None
        self._running = np.zeros(tables, np.bool_)
        # By table and seat: whether it has decided in this episode, and what it is owed.
        self._decided = np.zeros((tables, SEATS), np.bool_)
        self._owed = np.zeros((tables, SEATS))
        self._due: dict[str, int] = {}
        self._shown = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ByAgent, ByAgent]:
        """Begin an episode at every table.

        Args:
            seed: Where the deals and the frozen agents' chance come from. RLlib gives its seed anew
                whenever it samples whole episodes, which would be the same deals again and again;
                so a seed that is given twice running is as good as none, and the deals go on.
            options: As in `VectorEnv.reset`.

        Raises:
            ValueError: A value is out of its range.
        """
        new = None if seed == self._seed else seed
        super().reset(seed=new)
        self._games.reset(new, options)
        self._seed = seed
        self._running[:] = True
        self._decided[:] = False
        self._owed[:] = 0
        self._find_due()
        self._play_on()
        return (self._look(), {}) if self._due else self.reset(seed=seed, options=options)

    def step(self, action_dict: ByAgent) -> tuple[ByAgent, ByAgent, ByAgent, ByAgent, ByAgent]:
        """Take the actions of the seats that were shown, and go on until some have to decide.

        Raises:
            IllegalAction: The rules forbid one; no table has moved.
            ValueError: Others than the seats that were shown would act, or not all of them.
        """
        if action_dict.keys() != self._due.keys():
            raise ValueError(f"step: {sorted(action_dict)} act; {sorted(self._due)} have to")
        self._advance(action_dict)
        self._play_on()
        over = not self._running.any()
        return self._look(), self._pay(over), {"__all__": over}, {"__all__": False}, {}

    def _play_on(self) -> None:
        """Let frozen agents play while they alone have to decide."""
        while not self._due and self._running.any():
            self._advance({})

    def _advance(self, given: ByAgent) -> None:
        """One action at every table: those given, the frozen agents', and chance for the finished.

        A finished table plays on unseen: all tables of a `VectorEnv` move together.
        """
        batch, actions = self._games.batch, self._games.sample()
        for seat, agent in self._frozen.items():
            asked = self._running & (batch.seat == seat) & ~self._learns[:, seat]
            tables = np.flatnonzero(asked)
            if tables.size:
                words = self.np_random.integers(2**64, size=tables.size, dtype=np.uint64)
                chosen = np.zeros_like(actions)
                chosen[tables] = act_many(agent, self._games.views()[tables], words)
                actions[tables] = self._games.as_taken(chosen)[tables]
        for name, action in given.items():
            actions[self._due[name]] = action
        self._games.step(actions)
        self._decided[self._shown] = True
        self._owed[self._running] += batch.reward[self._running]
        self._running &= ~batch.terminated
        self._find_due()

    def _find_due(self) -> None:
        """Which seats have to decide, and at which tables."""
        seat = self._games.batch.seat
        tables = np.flatnonzero(self._running & self._learns[np.arange(seat.size), seat])
        self._shown = tables, seat[tables]
        self._due = {self._names[table][seat[table]]: int(table) for table in tables}

    def _pay(self, over: bool) -> ByAgent:
        """What the seats that are shown are owed, at the end all seats; it is owed no more."""
        paid = self._decided.copy()
        if not over:
            paid[:] = False
            paid[self._shown] = self._decided[self._shown]
        rewards = {
            self._names[table][seat]: float(self._owed[table, seat])
            for table, seat in np.argwhere(paid)
        }
        self._owed[paid] = 0
        return rewards

    def _look(self) -> ByAgent:
        """What each seat that has to decide observes."""
        batch = self._games.batch
        columns: dict[str, npt.NDArray[Any]] = {
            "observation": batch.observation,
            "action_mask": batch.action_mask,
        }
        if batch.state is not None:
            columns["state"] = batch.state
        return {
            name: {key: column[table].copy() for key, column in columns.items()}
            for name, table in self._due.items()
        }


def who_learns(
    tables: int, frozen: Mapping[int, str | Agent] | None, frozen_tables: int | None
) -> npt.NDArray[np.bool_]:
    """By table and seat, whether RLlib plays there; what is frozen is at the first tables.

    Raises:
        ValueError: There are no such seats or tables, or none is left.
    """
    seats, number = list(frozen or {}), tables if frozen_tables is None else frozen_tables
    if not set(seats) < set(range(SEATS)):
        raise ValueError(f"frozen seats are {seats}; up to three of 0 to {SEATS - 1} are valid")
    if not 0 <= number <= tables:
        raise ValueError(f"frozen_tables is {number}; 0 to {tables}, the tables, are valid")
    learns = np.ones((tables, SEATS), np.bool_)
    learns[:number, seats] = False
    return learns


class MaskedModule(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):
    """A perceptron that plays, the one of a policy file, and another that values the position.

    What RLlib takes for logits are log-probabilities of the legal actions; no other is ever drawn.
    The critic sees the observation's key `state` if there is one, and the player never does.

    Its `model_config` has `hidden` and `critic_hidden`, the widths of the inner layers, and
    `rules`, those of the policy file to come.
    """

    def setup(self) -> None:
        """Build the networks; RLlib takes the critic out of those that only play."""
        config = self.model_config
        self._valued = "state" if "state" in self.observation_space.spaces else "observation"
        size = self.observation_space[self._valued].shape[0]
        self.actor = Perceptron(SIZE, tuple(config["hidden"]), NUM_ACTIONS, last_gain=0.01)
        self.critic = Perceptron(size, tuple(config["critic_hidden"]), 1, last_gain=1.0)

    def get_non_inference_attributes(self) -> list[str]:
        """What is needed for learning alone."""
        return ["critic"]

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        log_probs = masked_log_softmax(self.actor(seen["observation"]), seen["action_mask"])
        return {Columns.ACTION_DIST_INPUTS: log_probs}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """What the position is worth to the seat, float32[B]."""
        value: Tensor = self.critic(batch[Columns.OBS][self._valued])
        return value.squeeze(-1)


def shared(agent_id: str, episode: Any, **kwargs: Any) -> str:
    """One policy for all seats, as RLlib's `policy_mapping_fn`."""
    return "shared"


def by_team(agent_id: str, episode: Any, **kwargs: Any) -> str:
    """`team_0` for seats 0 and 2, `team_1` for the others, as RLlib's `policy_mapping_fn`."""
    return f"team_{AGENTS.index(agent_id.partition('@')[0]) & 1}"


def ppo_config(
    env_config: Mapping[str, Any] | None = None,
    *,
    policies: str = "shared",
    hidden: tuple[int, ...] = (256, 256),
    critic_hidden: tuple[int, ...] = (256, 256),
    runners: int = 0,
) -> PPOConfig:
    """PPO by self-play, ready to build: what the game needs, and a start that learns.

    Change anything with RLlib's own methods, apart from these, on which exact returns depend: whole
    episodes, one environment a runner, no check of the environment (it plays illegal actions).

    Args:
        env_config: Of `TablesEnv`.
        policies: `shared`: one for all seats, of that name; `teams`: `team_0` and `team_1`.
        hidden: Widths of the policy's inner layers.
        critic_hidden: Widths of the critic's.
        runners: How many processes play, beside the one that learns; 0: that one plays too.

    Raises:
        ValueError: A value is none of the valid ones.
    """
    if policies not in POLICIES:
        raise ValueError(f"policies is {policies!r}; valid are {', '.join(POLICIES)}")
    config = dict(env_config or {})
    mapping = shared if policies == "shared" else by_team
    names = {mapping(agent, None) for agent in TablesEnv(config).possible_agents}
    model = {
        "hidden": list(hidden),
        "critic_hidden": list(critic_hidden),
        "rules": as_rules(config.get("rules", "standard")).asdict(),
    }
    return (
        PPOConfig()
        .environment(TablesEnv, env_config=config, disable_env_checking=True)
        .env_runners(
            num_env_runners=runners, num_envs_per_env_runner=1, batch_mode="complete_episodes"
        )
        .multi_agent(policies=names, policy_mapping_fn=mapping)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config=model))
        .training(
            gamma=1.0,
            lambda_=0.95,
            lr=3e-4,
            clip_param=0.2,
            entropy_coeff=0.01,
            grad_clip=0.5,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            num_epochs=2,
            minibatch_size=512,
            train_batch_size_per_learner=512,
        )
        .fault_tolerance(restart_failed_env_runners=True)
    )


def begin_with(algorithm: Algorithm, path: str | Path, policy: str = "shared") -> None:
    """Before the first update, let a policy begin as the player of a policy file.

    Raises:
        ValueError: The file's layers are not those of the policy, or it is no policy file.
    """
    stored, hidden = net.read(path), algorithm.get_module(policy).model_config["hidden"]
    if stored.meta["hidden"] != hidden:
        raise ValueError(f"{path}: hidden is {stored.meta['hidden']}; {hidden} is the policy's own")
    learner = algorithm.learner_group
    learner.set_weights({policy: {f"actor.{key}": value for key, value in stored.tensors.items()}})
    algorithm.env_runner_group.sync_weights(
        from_worker_or_learner_group=learner, inference_only=True
    )


def load_module(checkpoint: str | Path, policy: str = "shared") -> MaskedModule:
    """One policy of a checkpoint that an algorithm has saved."""
    place = Path(checkpoint).resolve() / "learner_group" / "learner" / "rl_module" / policy
    module: MaskedModule = RLModule.from_checkpoint(place)
    return module


def export(module: MaskedModule, path: str | Path, training: dict[str, Any] | None = None) -> None:
    """Write the player of a module as a policy file, for `net?file=...` and the arena.

    Args:
        module: Of an algorithm's `get_module`, or of `load_module`.
        path: The file.
        training: What the file is to tell of how it was trained.
    """
    config = module.model_config
    tensors = {key: value.cpu().numpy() for key, value in module.actor.state_dict().items()}
    told = training or {"with": "RLlib"}
    net.write(path, tensors, tuple(config["hidden"]), as_rules(config["rules"]), told)
