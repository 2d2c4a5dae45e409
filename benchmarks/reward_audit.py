"""Whether each library receives what the deals pay: `python -m benchmarks.reward_audit`.

On every path the library plays whole deals, with a policy of its own where it trains one. What each
seat should have got follows from the finished deals: ± contract / 100 to the team that scored. What
it did get is summed from where the library learns: its buffer. Printed are the largest difference
over all deals and seats, and how many illegal actions the policies tried.

`--usual` prints as well what the usual way into a library would lose. Libraries that are not
installed are left out.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gymnasium
import numpy as np
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from touti_env import SingleEnv, VectorEnv, touti_v0
from touti_env.aec import AGENTS
from touti_env.core import batch, engine
from touti_env.core.cards import SEATS
from touti_env.core.state import copy_states

ID = "touti/Touti-v0"
TABLES = 4
STEPS_PER_DEAL = 16  # more than a seat decides on average
# Cheap players beside the learner, in a seat drawn for each deal.
SEAT_OPTIONS = {"partner": "uniform", "opponents": "uniform", "seat": None}


@dataclass(frozen=True)
class Audit:
    """What was paid and what arrived.

    Attributes:
        due: What each seat should have got of each deal, in order.
        received: What it got.
        illegal: How many illegal actions were tried.
        decisions: How many actions were tried in all.
    """

    due: list[float]
    received: list[float]
    illegal: int
    decisions: int

    @property
    def error(self) -> float:
        """The largest difference in a deal of a seat."""
        if len(self.due) != len(self.received):
            return float("inf")
        return float(np.abs(np.subtract(self.due, self.received)).max())

    @property
    def lost(self) -> float:
        """The share of all that was due to the seats which did not reach them."""
        due, received = np.array(self.due), np.array(self.received)
        arrived = np.clip(received * np.sign(due), 0, np.abs(due))
        return float(1 - arrived.sum() / np.abs(due).sum())


def due_to(seat: int, contract: int, scored: int) -> float:
    """What a finished deal pays a seat (docs/rules.md §9); `scored` is the team, -1 for none."""
    if scored < 0:
        return 0.0
    return contract / 100 if seat & 1 == scored else -contract / 100


class AuditedSeat(gymnasium.Wrapper):
    """A one-seat environment that keeps the books."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        self.due: list[float] = []
        self.decisions = self.illegal = 0

    def step(self, action: Any) -> Any:
        seat = self.unwrapped
        self.decisions += 1
        self.illegal += not seat.action_masks()[int(action)]
        result = self.env.step(action)
        _, _, terminated, truncated, info = result
        if terminated or truncated:
            self.due.append(due_to(seat.seat, info["contract"], info["scored"]))
        return result

    def action_masks(self) -> Any:
        return self.unwrapped.action_masks()


def seat_audit(tables: Sequence[AuditedSeat], received: Sequence[Sequence[float]]) -> Audit:
    """The books of some tables and what arrived from each, deal by deal, in the same order."""
    pairs = zip(tables, received, strict=True)
    due = [paid for table, got in pairs for paid in table.due[: len(got)]]
    return Audit(
        due,
        [paid for got in received for paid in got],
        sum(table.illegal for table in tables),
        sum(table.decisions for table in tables),
    )


def by_deal(rewards: Any, ends: Any) -> list[float]:
    """Sums of `rewards` up to each of the `ends`; what comes after the last is left out."""
    last = np.flatnonzero(ends)
    starts = [0, *(last[:-1] + 1)]
    return [float(np.sum(rewards[a : b + 1])) for a, b in zip(starts, last, strict=False)]


class AuditedTable(touti_v0.raw_env):
    """An AEC environment that keeps the books: `due` by deal and seat."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.due: list[list[float]] = []
        self.decisions = self.illegal = 0

    def step(self, action: Any) -> None:
        acting = not (self.terminations[self.agent_selection] if self.agents else True)
        if acting:
            self.decisions += 1
            self.illegal += not self.infos[self.agent_selection]["action_mask"][int(action)]
        super().step(action)
        if acting and self.terminations[AGENTS[0]]:
            facts = self.infos[AGENTS[0]]
            paid = [due_to(seat, facts["contract"], facts["scored"]) for seat in range(SEATS)]
            self.due.append(paid)


def table_audit(table: AuditedTable, received: Sequence[Sequence[float]]) -> Audit:
    """The books of a table and what arrived: by deal, the four seats'."""
    due = [paid for deal in table.due[: len(received)] for paid in deal]
    return Audit(due, [paid for deal in received for paid in deal], table.illegal, table.decisions)


class AuditedGames(VectorEnv):
    """A `VectorEnv` that keeps the books: `due` by game, deal and seat."""

    def __init__(self, num_envs: int, **options: Any) -> None:
        super().__init__(num_envs, **options)
        self.due: list[list[list[float]]] = [[] for _ in range(num_envs)]
        self.decisions = self.illegal = 0

    def step(self, actions: Any) -> Any:
        chosen = np.asarray(actions, np.int64)
        self.decisions += len(chosen)
        self.illegal += int((self.batch.action_mask[np.arange(len(chosen)), chosen] == 0).sum())
        after = copy_states(self.states)
        batch.apply(after, chosen)
        for game, state in enumerate(after):
            if engine.is_over(state):
                paid = [due_to(seat, state.contract, state.scored) for seat in range(SEATS)]
                self.due[game].append(paid)
        return super().step(actions)


def gymnasium_path(deals: int, seed: int) -> Audit:
    """`gymnasium.make_vec`, random legal actions."""
    envs: Any = gymnasium.make_vec(
        ID, TABLES, vectorization_mode="sync", wrappers=[AuditedSeat], **SEAT_OPTIONS
    )
    rng = np.random.default_rng(seed)
    _, infos = envs.reset(seed=seed)
    rewards, ends = [], []
    while np.sum(ends) < deals:
        # A table whose deal is over begins the next one in this step, whatever is sent.
        masks = infos["action_mask"]
        actions = [rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks]
        _, reward, terminated, _, infos = envs.step(np.array(actions))
        rewards.append(reward)
        ends.append(terminated)
    columns = zip(np.transpose(rewards), np.transpose(ends), strict=True)
    return seat_audit(envs.envs, [by_deal(reward, end) for reward, end in columns])


def aec_path(deals: int, seed: int) -> Audit:
    """PettingZoo's own loop: what `last` returns to each agent."""
    env, rng = AuditedTable(), np.random.default_rng(seed)
    env.reset(seed=seed)
    received = []
    for _ in range(deals):
        paid = dict.fromkeys(AGENTS, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, _, info = env.last()
            paid[agent] += reward
            env.step(None if terminated else rng.choice(np.flatnonzero(info["action_mask"])))
        received.append(list(paid.values()))
        env.reset()
    return table_audit(env, received)


def parallel_path(deals: int, seed: int) -> Audit:
    """PettingZoo's `turn_based_aec_to_parallel`."""
    table, rng = AuditedTable(), np.random.default_rng(seed)
    env = turn_based_aec_to_parallel(table)
    received = []
    for number in range(deals):
        observations, _ = env.reset(seed=seed if number == 0 else None)
        paid = dict.fromkeys(AGENTS, 0.0)
        while env.agents:
            legal = {agent: np.flatnonzero(o["action_mask"]) for agent, o in observations.items()}
            moves = {agent: rng.choice(a) if len(a) else 0 for agent, a in legal.items()}
            observations, rewards, *_ = env.step(moves)
            for agent, reward in rewards.items():
                paid[agent] += reward
        received.append(list(paid.values()))
    return table_audit(table, received)


def sb3_path(deals: int, seed: int) -> Audit:
    """The rollout buffer of MaskablePPO."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    tables = [AuditedSeat(SingleEnv(**SEAT_OPTIONS)) for _ in range(TABLES)]
    envs = DummyVecEnv([lambda table=table: table for table in tables])
    steps = STEPS_PER_DEAL * deals // TABLES
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=steps, batch_size=steps, seed=seed)
    model.learn(steps * TABLES)
    buffer = model.rollout_buffer
    starts = buffer.episode_starts[1:].T.astype(bool)
    # A row that starts a deal is after one that ends one; the last deals may be cut off.
    columns = zip(buffer.rewards.T, starts, strict=True)
    return seat_audit(tables, [by_deal(reward, start) for reward, start in columns])


def torchrl_path(deals: int, seed: int) -> Audit:
    """A replay buffer of TorchRL, filled by its collector through `Decisions`."""
    import torch
    from torchrl.collectors import Collector
    from torchrl.data import LazyTensorStorage, ReplayBuffer

    from touti_env.adapters.torchrl import Decisions, ToutiEnv

    logging.getLogger("torchrl").setLevel(logging.WARNING)  # it would write between our lines
    torch.manual_seed(seed)
    env = ToutiEnv(TABLES)
    games = env.games = AuditedGames(TABLES)
    env.set_seed(seed)
    frames = 64 * TABLES
    total = frames * max(2, deals // TABLES)
    collector = Collector(env, masked_policy(), frames_per_batch=frames, total_frames=total)
    decisions, buffer = Decisions(), ReplayBuffer(storage=LazyTensorStorage(total))
    due: list[float] = []
    known = [0] * TABLES
    for data in collector:
        rows = decisions(data)
        buffer.extend(rows)
        ended = [kept[first:] for kept, first in zip(games.due, known, strict=True)]
        known = [len(kept) for kept in games.due]
        due += [paid[seat] for seat in range(SEATS) for deals in ended for paid in deals]
    collector.shutdown()
    held = buffer[:]["next"]
    received = by_deal(held["reward"].view(-1).numpy(), held["done"].view(-1).numpy())
    return Audit(due, received, games.illegal, games.decisions)


def masked_policy() -> Any:
    """An untrained actor of TorchRL."""
    from tensordict.nn import TensorDictModule
    from torch import nn
    from torchrl.modules import MaskedCategorical, ProbabilisticActor

    return ProbabilisticActor(
        TensorDictModule(nn.LazyLinear(72), ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
    )


def tianshou_path(deals: int, seed: int) -> Audit:
    """The buffer of Tianshou's collector, filled by an untrained PPO actor."""
    import torch
    from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.utils.net.common import Net

    from touti_env.adapters.tianshou import MaskedActor, ObsMask

    torch.manual_seed(seed)
    tables = [AuditedSeat(SingleEnv(**SEAT_OPTIONS)) for _ in range(TABLES)]
    space: Any = ObsMask(tables[0])
    net = Net(state_shape=space.observation_space["obs"].shape, hidden_sizes=[16])
    policy = DiscreteActorPolicy(
        actor=MaskedActor(preprocess_net=net, action_shape=space.action_space.n),
        action_space=space.action_space,
    )
    envs = DummyVectorEnv([lambda table=table: ObsMask(table) for table in tables])
    envs.seed(seed)
    buffer = VectorReplayBuffer(100 * deals, TABLES)
    collector = Collector(policy, envs, buffer)
    collector.reset()
    collector.collect(n_step=STEPS_PER_DEAL * deals)
    received = [by_deal(part.rew, part.done) for part in buffer.buffers]
    return seat_audit(tables, received)


def openspiel_path(deals: int, seed: int) -> Audit:
    """OpenSpiel's `rl_environment`, on the facade."""
    from open_spiel.python import rl_environment

    from touti_env.adapters.openspiel import ToutiGame

    env = rl_environment.Environment(ToutiGame(seed=seed))
    rng = np.random.default_rng(seed)
    due: list[float] = []
    received: list[float] = []
    decisions = illegal = 0
    for _ in range(deals):
        step, paid = env.reset(), np.zeros(SEATS)
        while not step.last():
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            action = int(rng.choice(legal))
            decisions += 1
            illegal += action not in env.get_state.legal_actions()
            step = env.step([action])
            paid += step.rewards
        record = env.get_state.record
        due += [due_to(seat, record.contract, record.scored) for seat in range(SEATS)]
        received += paid.tolist()
    return Audit(due, received, illegal, decisions)


def next_seat_way(deals: int, seed: int) -> Audit:
    """One stream of steps for all seats, where a step returns `last()` of whoever is next.

    So does the usual wrapper that shows an AEC environment to Stable-Baselines3.
    """
    env, rng = AuditedTable(), np.random.default_rng(seed)
    received = []
    for number in range(deals):
        env.reset(seed if number == 0 else None)
        paid, over = dict.fromkeys(AGENTS, 0.0), False
        while not over:
            agent = env.agent_selection
            env.step(rng.choice(np.flatnonzero(env.infos[agent]["action_mask"])))
            _, reward, over, _, _ = env.last()
            paid[agent] += reward
        received.append(list(paid.values()))
    return table_audit(env, received)


def torchrl_wrapper(deals: int, seed: int) -> Audit:
    """TorchRL's `PettingZooWrapper`, of whose rows those of the seat that acts are kept."""
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    table = AuditedTable()
    groups = {"seats": list(AGENTS)}
    env = PettingZooWrapper(table, use_mask=True, group_map=groups, done_on_any=False)
    env.set_seed(seed)
    table.due.clear()
    data = env.rollout(60 * deals, break_when_any_done=False)
    own = data["seats", "mask"] * data["next", "seats", "reward"].squeeze(-1)
    seats = [by_deal(own[:, seat].numpy(), data["next", "done"].numpy()) for seat in range(SEATS)]
    return table_audit(table, np.transpose(seats).tolist())


def tianshou_wrapper(deals: int, seed: int) -> Audit:
    """Tianshou's `PettingZooEnv`; each agent's policy learns from the rows of its own turns."""
    from tianshou.env import PettingZooEnv

    table = AuditedTable()
    env, rng = PettingZooEnv(table), np.random.default_rng(seed)
    received = []
    for number in range(deals):
        seen, _ = env.reset(seed=seed if number == 0 else None)
        paid, over = dict.fromkeys(AGENTS, 0.0), False
        while not over:
            agent = seen["agent_id"]
            seen, rewards, over, _, _ = env.step(rng.choice(np.flatnonzero(seen["mask"])))
            paid[agent] += rewards[env.agent_idx[agent]]
        received.append(list(paid.values()))
    return table_audit(table, received)


@dataclass(frozen=True)
class Path:
    """A way into a library: its name on PyPI, the way, and what plays it."""

    library: str
    way: str
    play: Callable[[int, int], Audit]

    @property
    def version(self) -> str | None:
        """The version installed, None if it is not."""
        try:
            return version(self.library)
        except PackageNotFoundError:
            return None


PATHS = (
    Path("gymnasium", "`make_vec`", gymnasium_path),
    Path("pettingzoo", "AEC, `last()`", aec_path),
    Path("pettingzoo", "`turn_based_aec_to_parallel`", parallel_path),
    Path("sb3-contrib", "MaskablePPO's rollout buffer", sb3_path),
    Path("torchrl", "`Decisions` in a replay buffer", torchrl_path),
    Path("tianshou", "its collector's buffer", tianshou_path),
    Path("open-spiel", "`rl_environment`", openspiel_path),
)

USUAL = (
    Path("pettingzoo", "a step returns `last()` of the next seat", next_seat_way),
    Path("torchrl", "`PettingZooWrapper`, rows of the seat that acts", torchrl_wrapper),
    Path("tianshou", "`PettingZooEnv`, rows of the seat that acts", tianshou_wrapper),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--deals", type=int, default=100, metavar="N", help="at least, on each path"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--usual", action="store_true", help="and what the usual ways would lose")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    print("| library | version | what is looked at | deals × seats | error | illegal actions |")
    print("|---|---|---|---:|---:|---:|")
    for path in filter(lambda path: path.version, PATHS):
        audit = path.play(options.deals, options.seed)
        print(f"| {path.library} | {path.version} | {path.way} | {len(audit.due):,} ", end="")
        print(f"| {audit.error:.0e} | {audit.illegal} of {audit.decisions:,} |", flush=True)
    if options.usual:
        print("\n| library | version | the usual way | lost |\n|---|---|---|---:|")
        for path in filter(lambda path: path.version, USUAL):
            lost = path.play(options.deals, options.seed).lost
            print(f"| {path.library} | {path.version} | {path.way} | {lost:.0%} |", flush=True)


if __name__ == "__main__":
    main()
