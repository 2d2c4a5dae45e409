"""Train a Touti player: behaviour cloning of `heuristic`, then PPO by self-play.

    python train.py                                     the default run, configs/default.toml
    python train.py --config configs/default.toml --seed 2 --name second
    python train.py --name second --resume              go on from its last checkpoint, exactly

All games move in lockstep (agents/rollout.py). One actor plays all four seats, from what its seat
may see, in canonical suits; a critic that sees all four hands values positions in training only.
Forced cards are played without the network. At the end a third network learns to read the table:
who holds which card. The run ends with a table of the final policy against every baseline.
"""

from __future__ import annotations

import dataclasses
import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from agents import config, device, evaluation, policy
from agents.crew import Crew, Weights
from agents.network import Actor, Belief, Critic, entropy_of, wrongness
from agents.options import NEVER, Args
from agents.progress import Progress
from agents.rollout import (
    Collector,
    Experience,
    in_play,
    joined,
    learned,
    normalised,
    observation_of,
)
from agents.run import RunFolder
from agents.schedule import Line, go_on, lines_of
from agents.trackers import Trackers
from touti_env import agent, arena
from touti_env.adapters.networks import masked_log_softmax
from touti_env.core.rules import VARIANTS
from touti_env.vector import VectorEnv

Loss: TypeAlias = Callable[[int, Experience], tuple[Tensor, dict[str, Tensor]]]
"""Of a thread and its part of a minibatch: the loss, and what to log."""

BASELINES = ("uniform", "sane", "heuristic")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        args = config.parse(Args, words, DEFAULT_CONFIG)
        saved = RunFolder(RUNS / args.name).options
        if args.resume and saved.exists():
            args = config.parse(Args, words, saved)
        Trainer(args).run()
    except (FileExistsError, FileNotFoundError, ValueError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ntrain.py: interrupted", file=sys.stderr)
        return 130
    return 0


DEFAULT_CONFIG = Path(__file__).parent / "configs" / "default.toml"
RUNS = Path("runs")


class Trainer:
    """A run: made new or from its checkpoint, then `run` to the end or an interrupt."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.options = {**dataclasses.asdict(args), "resume": False}
        self.trackers = Trackers(args)
        self.device = device.chosen(args.device)
        self.kind = device.kind(args.precision, self.device)
        torch.manual_seed(args.seed)
        self.crew = Crew(args.threads)
        # A GPU learns from whole minibatches; several threads would only wait for one another.
        self.learners = self.crew if self.device.type == "cpu" else Crew(1)
        self.actor, self.past = (
            Actor(args.actor_hidden, args.canonical_suits).to(self.device) for _ in range(2)
        )
        self.critic = Critic(args.critic_hidden, args.critic_sees_all).to(self.device)
        self.weights = Weights([self.actor, self.critic], self.learners)
        self.actors, self.critics = zip(*self.weights.copies, strict=True)
        with torch.random.fork_rng():  # so that games and policy are the same whatever its shape
            self.belief = Belief(args.belief_hidden).to(self.device)
        self.belief_weights = Weights([self.belief], self.learners)
        (self.beliefs,) = zip(*self.belief_weights.copies, strict=True)
        self.teacher, self.bot = agent.load("heuristic"), agent.load(args.bot)
        self.collectors = [self._collector(thread) for thread in range(args.threads)]
        self.rng = np.random.default_rng(args.seed)
        self.pool: list[dict[str, Tensor]] = []
        self.imitated = self.update = self.decisions = self.readings = 0
        self.seconds = 0.0
        self.lines = lines_of(args)
        self.interrupted = False
        self.folder = RunFolder(RUNS / args.name)
        if args.resume:
            self._restore(self.folder.load())
        else:
            if args.start:
                self._start_from(args.start)
            self.folder.begin(self.options)
        self.trackers.open(self.folder, self.options)

    def _collector(self, thread: int) -> Collector:
        """The games of one thread."""
        args = self.args
        env = VectorEnv(
            args.num_envs // args.threads,
            args.rules,
            args.episode,
            args.reward,
            args.max_deals,
            state=True,
            canonical_suits=args.canonical_suits,
            play_forced=True,
        )
        seed = args.seed * args.threads + thread
        env.reset(seed=seed)
        shares = (args.past_share, args.bot_share)
        return Collector(
            env,
            args.num_steps,
            shares,
            self.bot,
            seed,
            self.kind,
            self.device,
            args.reward_scale,
        )

    def _start_from(self, file: str) -> None:
        """Take over the weights of a policy file."""
        actor, _ = policy.read(file)
        for name, its, ours in (
            ("actor_hidden", actor.hidden, self.actor.hidden),
            ("canonical_suits", actor.canonical, self.actor.canonical),
        ):
            if its != ours:
                raise ValueError(f"{name} is {ours}; to start from {file}, {its} is valid")
        self.actor.load_state_dict(actor.state_dict())

    def run(self) -> None:
        """Imitate, then learn by self-play; save; play the final matches."""
        before = signal.signal(signal.SIGINT, self._interrupt)
        with Progress(self.args.updates, self.update, self.bot.name) as self.progress:
            while self.imitated < self.args.clone_updates and not self.interrupted:
                self.imitate()
            while self.update < self.args.updates and not self.interrupted:
                self.improve()
            while self.readings < self.args.belief_updates and not self.interrupted:
                self.read_the_table()
        self.save()
        signal.signal(signal.SIGINT, before)
        if self.interrupted:
            print(f"interrupted after update {self.update}; go on with --resume")
        else:
            self.report()
        self.trackers.close()

    # Behaviour cloning

    def imitate(self) -> None:
        """One batch of the rule bot's choices, and what they pay, by supervised learning.

        Where the run starts from a policy, that one plays, and only what it is paid is learned.
        """
        args = self.args
        step_size = Line(0, args.clone_learning_rate, args.clone_updates, 0).at(self.imitated)
        loss_of = self._value_loss if args.start else self._imitation_loss
        experiences = self.collect(1.0) if args.start else self._collect(self._imitated)
        losses = [
            stats["loss"]
            for _ in range(args.clone_epochs)
            for stats in self._pass_over(experiences, self.weights, loss_of, step_size)
        ]
        self.imitated += 1
        what = "the critic learns" if args.start else f"imitating {self.teacher.name}"
        self.progress.note(
            f"{what} {self.imitated}/{args.clone_updates}: loss {np.mean(losses):.3f}"
        )
        if self.imitated == args.clone_updates:
            if args.start:
                # Adam has seen an actor that stands still, and would make it leap.
                self.weights.load_state_dict({})
            seen = self.evaluate()
            self.folder.log({**self._standing(), "evaluation": seen})
            self.progress.note(f"so far against {self.bot.name}: {evaluation.in_short(seen)}")

    def _imitated(self, collector: Collector) -> Experience:
        """The teacher's decisions, as if they were the learner's."""
        return collector.imitate(self.teacher, self.critic, gamma=self.args.gamma, gae_lambda=1.0)

    def _imitation_loss(self, thread: int, part: Experience) -> tuple[Tensor, dict[str, Tensor]]:
        """How far the actor is from the bot's choices, and the critic from what they paid."""
        logits = self.actors[thread](observation_of(part.state))
        chosen = masked_log_softmax(logits, part.mask).gather(1, part.action[:, None])
        imitation_loss = -chosen.mean()
        value_loss, _ = self._value_loss(thread, part)
        return imitation_loss + self.args.vf_coef * value_loss, {"loss": imitation_loss}

    def _value_loss(self, thread: int, part: Experience) -> tuple[Tensor, dict[str, Tensor]]:
        """How far the critic is from what was paid."""
        loss = nn.functional.mse_loss(self.critics[thread](part.state), part.returns)
        return loss, {"loss": loss}

    # PPO

    def improve(self) -> None:
        """One update: collect, learn, log, and now and then evaluate, snapshot and save."""
        args, begun = self.args, time.perf_counter()
        experiences = self.collect(args.gae_lambda, args.solver_since)
        collected = time.perf_counter()
        stats = self.learn(experiences)
        learned = time.perf_counter()
        decisions = sum(len(experience) for experience in experiences)
        self.update += 1
        self.readings = 0
        self.decisions += decisions
        self.seconds += learned - begun
        row: dict[str, Any] = {
            **self._standing(),
            "decisions_per_second": round(decisions / (learned - begun), 1),
            "collecting": round((collected - begun) / (learned - begun), 3),
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

    def collect(self, gae_lambda: float, solver_since: int = NEVER) -> list[Experience]:
        """The learner's decisions in some steps of all games, a batch for each that learns."""
        self._choose_past()
        return self._collect(
            lambda collector: collector.self_play(
                self.actor,
                self.critic,
                self.past,
                solver_since,
                gamma=self.args.gamma,
                gae_lambda=gae_lambda,
            )
        )

    def _collect(self, work: Callable[[Collector], Experience]) -> list[Experience]:
        """What each thread's games give; as one, where one thread learns for all."""
        experiences = self.crew.run(lambda thread: work(self.collectors[thread]))
        return experiences if self.learners is self.crew else [joined(experiences)]

    def _choose_past(self) -> None:
        """Which past self is met in this update; before there is any, the present one."""
        if self.pool:
            self.past.load_state_dict(self.pool[self.rng.integers(len(self.pool))])
        else:
            self.past.load_state_dict(self.actor.state_dict())

    def learn(self, experiences: list[Experience]) -> dict[str, float]:
        """Some passes of clipped policy gradient; returns the means of what was seen."""
        advantage, returns = (learned(experiences, name) for name in ("advantage", "returns"))
        step_size = self.lines["learning_rate"].at(self.update)
        prepared = normalised(experiences, self.args.normalise_by_phase)
        seen = [
            stats
            for _ in range(self.args.update_epochs)
            for stats in self._pass_over(prepared, self.weights, self._ppo_loss, step_size)
        ]
        means = {key: float(np.mean([stats[key] for stats in seen])) for key in seen[0]}
        return {key: round(value, 5) for key, value in means.items()} | {
            "learning_rate": step_size,
            "explained_variance": round(1 - (advantage.var() / returns.var()).item(), 4),
            **evaluation.by_phase(experiences),
            "episodes": sum(experience.episodes for experience in experiences),
        }

    def _ppo_loss(self, thread: int, part: Experience) -> tuple[Tensor, dict[str, Tensor]]:
        """The clipped surrogate, the entropy bonus, and how far off solver and pay find the two."""
        log_probs = masked_log_softmax(self.actors[thread](observation_of(part.state)), part.mask)
        chosen = log_probs.gather(1, part.action[:, None]).squeeze(1)
        log_ratio = chosen - part.log_prob
        ratio, clip = log_ratio.exp(), self.args.clip_coef
        clipped = ratio.clamp(1 - clip, 1 + clip)
        policy_loss = -torch.min(ratio * part.advantage, clipped * part.advantage).mean()
        value_loss, _ = self._value_loss(thread, part)
        entropy = entropy_of(log_probs).mean()
        bonus = self.lines["ent_coef"].at(self.update) * entropy
        solver_loss = wrongness(log_probs, part.right)
        loss = policy_loss - bonus + self.args.vf_coef * value_loss
        loss = loss + self.args.solver_coef * solver_loss
        return loss, {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "solver_loss": solver_loss,
            "entropy": entropy,
            "approx_kl": (ratio - 1 - log_ratio).mean(),
            "clip_fraction": ((ratio - 1).abs() > clip).float().mean(),
        }

    # Reading the table

    def read_the_table(self) -> None:
        """One batch of the policy's play, as it is now: who held the cards that nobody had seen."""
        args = self.args
        step_size = Line(0, args.belief_learning_rate, args.belief_updates, 0).at(self.readings)
        experiences = [in_play(experience) for experience in self.collect(1.0)]
        seen = self._pass_over(experiences, self.belief_weights, self._belief_loss, step_size)
        surprise = float(np.mean([stats["surprise"] for stats in seen]))
        self.readings += 1
        self.progress.note(
            f"reading the table {self.readings}/{args.belief_updates}: surprise {surprise:.3f}"
        )
        if self.readings == args.belief_updates:
            self.folder.log(
                {"update": self.update, "readings": self.readings, "surprise": round(surprise, 5)}
            )

    def _belief_loss(self, thread: int, part: Experience) -> tuple[Tensor, dict[str, Tensor]]:
        """How far what is believed is from where the cards were."""
        surprise = self.beliefs[thread].surprise(part.state)
        return surprise, {"surprise": surprise}

    def _pass_over(
        self,
        experiences: list[Experience],
        weights: Weights,
        loss_of: Loss,
        step_size: float,
    ) -> list[dict[str, float]]:
        """One pass in minibatches, a part of each for every thread, and a step after each."""
        number, total = self.args.num_minibatches, sum(map(len, experiences))
        orders = [torch.randperm(len(experience)).to(self.device) for experience in experiences]

        def learn(thread: int) -> list[dict[str, float]]:
            experience, seen = experiences[thread], []
            for rows in orders[thread].tensor_split(number):
                loss, stats = loss_of(thread, experience.part(rows))
                (loss * len(experience) / total).backward()  # type: ignore[no-untyped-call]
                weights.step(thread, step_size, self.args.max_grad_norm)
                seen.append({name: value.item() for name, value in stats.items()})
            return seen

        return [stats for seen in self.learners.run(learn) for stats in seen]

    # Evaluation and files

    def evaluate(self) -> dict[str, float]:
        """A duplicate match against the bot, on deals that training never sees."""
        match = arena.duplicate(
            policy.NetPolicy(self.actor, self.args.name, greedy=True),
            self.bot,
            self.args.eval_deals,
            rules=self.args.rules,
        )
        self.actor.train()
        return evaluation.numbers(match)

    def report(self) -> None:
        """The final policy against every baseline, what silence costs it, the learning curve."""
        learner = policy.NetPolicy(self.actor, self.args.name, greedy=True)
        print(
            f"\n{learner.name}: {self.decisions:,} decisions in {self.seconds:.0f} s of self-play"
        )
        args, file = self.args, self.folder.policy if self.readings else None
        final = evaluation.final(learner, BASELINES, args.final_deals, args.rules, file)
        self.folder.log_final(self.update, final)
        self.trackers.follow()
        print(f"policy: {self.folder.policy}\ncurve: {self.folder.write_curve(self.bot.name)}")

    def _standing(self) -> dict[str, Any]:
        """How far the run has come: what every line of the log begins with."""
        seconds = round(self.seconds, 3)
        return {"update": self.update, "decisions": self.decisions, "seconds": seconds}

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
                "args": self.options,
                "lines": {name: dataclasses.asdict(line) for name, line in self.lines.items()},
                "actor": self.actor.state_dict(),
                "critic": self.critic.state_dict(),
                "optimizers": self.weights.state_dict(),
                "belief": self.belief.state_dict(),
                "belief_optimizers": self.belief_weights.state_dict(),
                "pool": self.pool,
                "imitated": self.imitated,
                "update": self.update,
                "readings": self.readings,
                "decisions": self.decisions,
                "seconds": self.seconds,
                "collectors": [collector.state_dict() for collector in self.collectors],
                "torch_rng": torch.get_rng_state(),
                "numpy_rng": json.dumps(self.rng.bit_generator.state),
            }
        )
        training = {
            "args": self.options,
            "decisions": self.decisions,
            "seconds": round(self.seconds),
        }
        belief = self.belief if self.readings else None
        policy.save(self.folder.policy, self.actor, VARIANTS[self.args.rules], training, belief)
        self.trackers.follow()

    def _restore(self, content: dict[str, Any]) -> None:
        """Go back to a checkpoint, in every respect; options given anew hold from here."""
        RunFolder.check_goes_on(content, self.options)
        self.lines = go_on(content["lines"], content["args"], self.args, content["update"])
        self.actor.load_state_dict(content["actor"])
        self.critic.load_state_dict(content["critic"])
        self.weights.load_state_dict(content["optimizers"])
        self.belief.load_state_dict(content["belief"])
        self.belief_weights.load_state_dict(content["belief_optimizers"])
        for name in ("imitated", "update", "decisions", "readings", "seconds", "pool"):
            setattr(self, name, content[name])
        for collector, saved in zip(self.collectors, content["collectors"], strict=True):
            collector.load_state_dict(saved)
        torch.set_rng_state(content["torch_rng"])
        self.rng.bit_generator.state = json.loads(content["numpy_rng"])
        self.folder.go_on(self.options, self.update, self.readings)


def _copy(network: nn.Module) -> dict[str, Tensor]:
    return {key: value.clone() for key, value in network.state_dict().items()}


if __name__ == "__main__":
    sys.exit(main())
