"""Train a Touti player: behaviour cloning of `heuristic`, then PPO by self-play.

    python train.py                                     the default run, configs/default.toml
    python train.py --config configs/default.toml --seed 2 --name second
    python train.py --name second --resume              go on from its last checkpoint, exactly

All games move in lockstep (agents/rollout.py). One actor plays all four seats, from what its seat
may see, in canonical suits; a critic that sees all four hands values positions in training only.
Forced cards are played without the network. The run ends with a table of the final policy against
every baseline.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Waiting threads sleep: where other work shares the cores, spinning costs more than it gains.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from torch import Tensor, nn

from agents import config, policy
from agents.network import Actor, Critic, entropy_of, masked_log_softmax
from agents.progress import Progress
from agents.rollout import Collector, Experience, observation_of
from agents.run import CheckpointError, RunFolder, generator_state, set_generator_state
from touti_env import agent, arena
from touti_env.core.rules import VARIANTS
from touti_env.core.state import STATE
from touti_env.vector import VectorEnv

BASELINES = ("uniform", "sane", "heuristic")


@dataclass(frozen=True)
class Args:
    """Options of a run: these defaults, over them `--config FILE`, over that the flags."""

    name: str = "default"
    """The run's files are in runs/NAME."""
    resume: bool = False
    """Go on from the run's checkpoint instead of beginning."""
    seed: int = 1
    """Of the deals, the weights and every choice."""
    rules: str = "standard"
    """The variant played."""

    updates: int = 150
    """How often experience is collected and learned from."""
    num_envs: int = 512
    """Games in lockstep."""
    num_steps: int = 64
    """Actions in each game between updates."""
    threads: int = 2
    """Processor threads, for the network and for the games."""
    matmul_precision: str = "medium"
    """Of float32 matrix products: highest, high or medium (bfloat16 inside if the CPU has it)."""

    clone_updates: int = 8
    """How many batches of the rule bot's play are imitated first."""
    clone_epochs: int = 2
    """Passes over each of them."""
    clone_learning_rate: float = 1e-3
    """Adam's step size while imitating."""

    actor_hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the actor's layers."""
    critic_hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the critic's layers."""
    learning_rate: float = 5e-4
    """Adam's step size at the beginning of PPO."""
    learning_rate_end: float = 1e-4
    """At its end; linear between."""
    gamma: float = 1.0
    """Discount from one of a seat's decisions to its next."""
    gae_lambda: float = 0.95
    """How far advantage estimates look before they trust the critic."""
    num_minibatches: int = 24
    """Minibatches in a pass over an update's experience."""
    update_epochs: int = 2
    """Passes over an update's experience."""
    clip_coef: float = 0.2
    """PPO's bound on the probability ratio."""
    ent_coef: float = 0.02
    """Entropy bonus at the beginning."""
    ent_coef_end: float = 0.005
    """At the end; linear between."""
    vf_coef: float = 0.5
    """Weight of the critic's loss."""
    max_grad_norm: float = 0.5
    """Gradients are clipped to this norm."""

    past_share: float = 0.25
    """Deals in which the other team is a past self."""
    bot_share: float = 0.15
    """Deals in which the other team is the rule bot."""
    pool_size: int = 20
    """Past selves kept."""
    pool_every: int = 5
    """Updates between them."""

    eval_every: int = 15
    """Updates between evaluations."""
    eval_deals: int = 1000
    """Duplicate deals of an evaluation against `heuristic`."""
    final_deals: int = 4000
    """Duplicate deals of each match of the final table."""
    save_every: int = 15
    """Updates between checkpoints; one is always written at the end and on an interrupt."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; returns the exit status."""
    try:
        args = config.parse(Args, sys.argv[1:] if arguments is None else arguments, DEFAULT_CONFIG)
        trainer = Trainer(args)
    except (config.ConfigError, CheckpointError, FileExistsError, ValueError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    trainer.run()
    return 0


DEFAULT_CONFIG = Path(__file__).parent / "configs" / "default.toml"


class Trainer:
    """A run: made new or from its checkpoint, then `run` to the end or an interrupt."""

    def __init__(self, args: Args) -> None:
        if args.rules not in VARIANTS:
            raise ValueError(f"rules is {args.rules!r}; valid are {', '.join(VARIANTS)}")
        self.args = args
        torch.set_num_threads(args.threads)
        torch.set_float32_matmul_precision(args.matmul_precision)
        torch.manual_seed(args.seed)
        rng = np.random.default_rng(args.seed)
        self.actor, self.past = Actor(args.actor_hidden), Actor(args.actor_hidden)
        self.critic = Critic(args.critic_hidden)
        self.optimizer = torch.optim.Adam(
            [*self.actor.parameters(), *self.critic.parameters()], lr=args.learning_rate, eps=1e-5
        )
        self.env = VectorEnv(
            args.num_envs, args.rules, state=True, canonical_suits=True, play_forced=True
        )
        self.env.reset(seed=args.seed)
        self.bot = agent.load("heuristic")
        shares = (args.past_share, args.bot_share)
        self.collector = Collector(self.env, args.num_steps, shares, self.bot, rng)
        self.pool: list[dict[str, Tensor]] = []
        self.update = self.decisions = 0
        self.seconds = 0.0
        self.interrupted = False
        self.folder = RunFolder(Path("runs") / args.name)
        if args.resume:
            self._restore(self.folder.load())
        else:
            self.folder.begin(dataclasses.asdict(args))

    def run(self) -> None:
        """Imitate, then learn by self-play; save; play the final matches."""
        before = signal.signal(signal.SIGINT, self._interrupt)
        with Progress(self.args.updates, self.update) as self.progress:
            if self.update == 0:
                self.imitate()
            while self.update < self.args.updates and not self.interrupted:
                self.improve()
        self.save()
        signal.signal(signal.SIGINT, before)
        if self.interrupted:
            print(f"interrupted after update {self.update}; go on with --resume")
            return
        self.report()

    # Behaviour cloning

    def imitate(self) -> None:
        """Learn the rule bot's choices, and what they are worth, by supervised learning."""
        args = self.args
        for group in self.optimizer.param_groups:
            group["lr"] = args.clone_learning_rate
        for round_ in range(args.clone_updates):
            experience = self.collector.imitate(self.critic, gamma=args.gamma, gae_lambda=1.0)
            losses = [
                self._imitate_batch(experience, rows)
                for _ in range(args.clone_epochs)
                for rows in self._minibatches(len(experience.action))
            ]
            self.progress.note(
                f"imitating heuristic {round_ + 1}/{args.clone_updates}: loss {np.mean(losses):.3f}"
            )
            if self.interrupted:
                break

    def _imitate_batch(self, experience: Experience, rows: Tensor) -> float:
        state = experience.state[rows]
        log_probs = masked_log_softmax(self.actor(observation_of(state)), experience.mask[rows])
        chosen = log_probs.gather(1, experience.action[rows, None])
        value_loss = nn.functional.mse_loss(self.critic(state), experience.returns[rows])
        imitation_loss = -chosen.mean()
        self._descend(imitation_loss + self.args.vf_coef * value_loss)
        return imitation_loss.item()

    # PPO

    def improve(self) -> None:
        """One update: collect, learn, log, and now and then evaluate, snapshot and save."""
        args, begun = self.args, time.perf_counter()
        self._schedule()
        self._choose_past()
        experience = self.collector.self_play(
            self.actor, self.critic, self.past, gamma=args.gamma, gae_lambda=args.gae_lambda
        )
        collected = time.perf_counter()
        stats = self.learn(experience)
        self.update += 1
        self.decisions += len(experience.action)
        self.seconds += time.perf_counter() - begun
        row: dict[str, Any] = {
            "update": self.update,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "decisions_per_second": round(
                len(experience.action) / (time.perf_counter() - begun), 1
            ),
            "collecting": round((collected - begun) / (time.perf_counter() - begun), 3),
            **stats,
        }
        if self.update % args.eval_every == 0 or self.update == args.updates:
            row["evaluation"] = self.evaluate()
        self.folder.log(row)
        self.progress.advance(row)
        if self.update % args.pool_every == 0:
            self.pool = [*self.pool, _copy(self.actor)][-args.pool_size :]
        if self.update % args.save_every == 0:
            self.save()

    def _schedule(self) -> None:
        """Step size and entropy bonus go down linearly."""
        done = self.update / self.args.updates
        step = self.args.learning_rate + done * (
            self.args.learning_rate_end - self.args.learning_rate
        )
        self.entropy_bonus = self.args.ent_coef + done * (
            self.args.ent_coef_end - self.args.ent_coef
        )
        for group in self.optimizer.param_groups:
            group["lr"] = step

    def _choose_past(self) -> None:
        """Which past self is met in this update; before there is any, the present one."""
        if self.pool:
            self.past.load_state_dict(self.pool[self.collector.rng.integers(len(self.pool))])
        else:
            self.past.load_state_dict(self.actor.state_dict())

    def learn(self, experience: Experience) -> dict[str, float]:
        """Some passes of clipped policy gradient; returns the means of what was seen."""
        advantage = experience.advantage
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        seen = [
            self._learn_batch(experience, advantage, rows)
            for _ in range(self.args.update_epochs)
            for rows in self._minibatches(len(advantage))
        ]
        returns = experience.returns
        explained = 1 - (returns - experience.value).var() / returns.var()
        means = {key: float(np.mean([stats[key] for stats in seen])) for key in seen[0]}
        return {key: round(value, 5) for key, value in means.items()} | {
            "explained_variance": round(explained.item(), 4),
            "deals": experience.deals,
        }

    def _learn_batch(
        self, experience: Experience, advantage: Tensor, rows: Tensor
    ) -> dict[str, float]:
        state, clip = experience.state[rows], self.args.clip_coef
        log_probs = masked_log_softmax(self.actor(observation_of(state)), experience.mask[rows])
        chosen = log_probs.gather(1, experience.action[rows, None]).squeeze(1)
        log_ratio = chosen - experience.log_prob[rows]
        ratio = log_ratio.exp()
        gain = torch.min(ratio * advantage[rows], ratio.clamp(1 - clip, 1 + clip) * advantage[rows])
        entropy = entropy_of(log_probs).mean()
        value_loss = nn.functional.mse_loss(self.critic(state), experience.returns[rows])
        self._descend(-gain.mean() - self.entropy_bonus * entropy + self.args.vf_coef * value_loss)
        return {
            "policy_loss": -gain.mean().item(),
            "value_loss": value_loss.item(),
            "entropy": entropy.item(),
            "approx_kl": (ratio - 1 - log_ratio).mean().item(),
            "clip_fraction": ((ratio - 1).abs() > clip).float().mean().item(),
        }

    def _minibatches(self, number: int) -> Sequence[Tensor]:
        """All rows in a random order, in equal parts."""
        return torch.randperm(number).tensor_split(self.args.num_minibatches)

    def _descend(self, loss: Tensor) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        for network in (self.actor, self.critic):
            nn.utils.clip_grad_norm_(network.parameters(), self.args.max_grad_norm)
        self.optimizer.step()

    # Evaluation and files

    def evaluate(self) -> dict[str, float]:
        """A duplicate match against the rule bot, on deals that training never sees."""
        match = arena.duplicate(
            policy.NetPolicy(self.actor, self.args.name),
            self.bot,
            self.args.eval_deals,
            rules=self.args.rules,
        )
        self.actor.train()
        return {"mean": match.mean, "standard_error": match.standard_error}

    def report(self) -> None:
        """The final policy against every baseline, and the learning curve."""
        learner = policy.NetPolicy(self.actor, self.args.name)
        print(
            f"\n{learner.name} after {self.decisions:,} decisions, {self.seconds:.0f} s of training"
        )
        for name in BASELINES:
            match = arena.duplicate(
                learner, agent.load(name), self.args.final_deals, seed=1, rules=self.args.rules
            )
            print(match.table())
        print(f"policy: {self.folder.policy}\ncurve: {self.folder.write_curve()}")

    def _interrupt(self, *_: object) -> None:
        """The first interrupt ends the run after the present update; a second one at once."""
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        print("\ninterrupted: finishing this update and saving", file=sys.stderr)

    def save(self) -> None:
        """Write the checkpoint and the policy."""
        self.folder.save(
            {
                "args": {key: value for key, value in dataclasses.asdict(self.args).items()},
                "actor": self.actor.state_dict(),
                "critic": self.critic.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "pool": self.pool,
                "update": self.update,
                "decisions": self.decisions,
                "seconds": self.seconds,
                "states": torch.from_numpy(self.env.states.view(np.uint8).copy()),
                "rival": torch.from_numpy(self.collector.rival.copy()),
                "team": torch.from_numpy(self.collector.team.copy()),
                "torch_rng": torch.get_rng_state(),
                "numpy_rng": generator_state(self.collector.rng),
            }
        )
        training = {
            "args": dataclasses.asdict(self.args),
            "decisions": self.decisions,
            "seconds": round(self.seconds),
        }
        policy.save(self.folder.policy, self.actor, self.env.rules, training)

    def _restore(self, content: dict[str, Any]) -> None:
        """Go back to a checkpoint, in every respect."""
        for key in ("rules", "num_envs", "actor_hidden", "critic_hidden"):
            if content["args"][key] != getattr(self.args, key):
                raise CheckpointError(
                    f"the checkpoint has {key} {content['args'][key]!r}, "
                    f"not {getattr(self.args, key)!r}"
                )
        self.actor.load_state_dict(content["actor"])
        self.critic.load_state_dict(content["critic"])
        self.optimizer.load_state_dict(content["optimizer"])
        self.pool = content["pool"]
        self.update, self.decisions = content["update"], content["decisions"]
        self.seconds = content["seconds"]
        self.env.states[:] = content["states"].numpy().view(STATE)
        self.env.refresh()
        self.collector.rival[:] = content["rival"].numpy()
        self.collector.team[:] = content["team"].numpy()
        torch.set_rng_state(content["torch_rng"])
        set_generator_state(self.collector.rng, content["numpy_rng"])
        self.folder.forget_after(self.update)


def _copy(network: nn.Module) -> dict[str, Tensor]:
    return {key: value.clone() for key, value in network.state_dict().items()}


if __name__ == "__main__":
    sys.exit(main())
