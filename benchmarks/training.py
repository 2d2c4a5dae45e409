"""How fast the trainer learns, and where its time goes: `python -m benchmarks.training`.

Three things are measured in turns, in rounds, as decisions a second of wall time, medians given:
the trainer on one core, on all of them, and the limit: the same matrix products alone, back to
back, on all of them. A share of the limit says how much of the time is spent on anything else:
games, masks, sampling, gathering rows, the optimiser.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

import train
from agents.crew import Crew
from agents.network import Actor, Critic
from touti_env.observation import SIZE, STATE_SIZE


def trainer(threads: int, precision: str) -> train.Trainer:
    """A fresh run with the default configuration, on so many threads."""
    args = train.config.parse(
        train.Args,
        ["--name", f"bench{threads}", "--threads", str(threads), "--precision", precision],
        train.DEFAULT_CONFIG,
    )
    return train.Trainer(args)


def update(run: train.Trainer) -> tuple[float, float, float]:
    """One update: the learner's decisions a second, the share of collecting, and how many."""
    begun = time.perf_counter()
    experiences = run.collect()
    collected = time.perf_counter()
    run.learn(experiences)
    spent = time.perf_counter() - begun
    decisions = sum(len(experience) for experience in experiences)
    return decisions / spent, (collected - begun) / spent, decisions


def products(run: train.Trainer, crew: Crew) -> Callable[[], float]:
    """The matrix products of one update, as a function that does them and says how long it took."""
    args = run.args
    games = args.num_envs // args.threads
    rows = games * args.num_steps // args.num_minibatches
    actor = layers(Actor(args.actor_hidden), run.kind)
    critic = layers(Critic(args.critic_hidden), run.kind)
    inputs = {size: torch.rand(max(rows, games), size).to(run.kind) for size in {SIZE, STATE_SIZE}}

    def share(_: int) -> None:
        for _ in range(args.num_steps):
            forward(actor, inputs[SIZE][:games])
            forward(critic, inputs[STATE_SIZE][:games])
        for _ in range(args.update_epochs * args.num_minibatches):
            for network, size in ((actor, SIZE), (critic, STATE_SIZE)):
                backward(network, forward(network, inputs[size][:rows]))

    def timed() -> float:
        begun = time.perf_counter()
        crew.run(share)
        return time.perf_counter() - begun

    return timed


def layers(network: torch.nn.Module, kind: torch.dtype) -> list[torch.Tensor]:
    """The weight matrices of a network, in order."""
    return [weight.detach().to(kind) for weight in network.parameters() if weight.dim() == 2]


@torch.inference_mode()
def forward(weights: list[torch.Tensor], x: torch.Tensor) -> list[torch.Tensor]:
    """The products of a forward pass; what went into each and came out of the last."""
    seen = [x]
    for weight in weights:
        seen.append(seen[-1] @ weight.T)
    return seen


@torch.inference_mode()
def backward(weights: list[torch.Tensor], seen: list[torch.Tensor]) -> None:
    """The products of a backward pass: each weight's gradient, and each input's but the first's."""
    gradient = seen[-1]
    for k in range(len(weights) - 1, -1, -1):
        gradient.T @ seen[k]
        if k:
            gradient = gradient @ weights[k]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--precision", default=train.Args.precision)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("runs").mkdir()
        one = trainer(1, options.precision)
        every = trainer(options.threads, options.precision)
        limit = products(every, every.crew)
        for warm_up in (lambda: update(one), lambda: update(every), limit):
            warm_up()
        rows = []
        for _ in range(options.rounds):
            alone, _, _ = update(one)
            together, collecting, decisions = update(every)
            rows.append((alone, together, decisions / limit(), collecting))
        os.chdir("/")
    alone, together, most, collecting = (
        statistics.median(column) for column in zip(*rows, strict=True)
    )
    speedup = statistics.median(row[1] / row[0] for row in rows)
    share = statistics.median(row[1] / row[2] for row in rows)
    print("| trainer | learner's decisions a second |\n|---|---:|")
    print(f"| one core | {alone:,.0f} |")
    print(f"| {options.threads} cores | {together:,.0f} ({speedup:.2f} × one core) |")
    print(f"| the same matrix products alone | {most:,.0f} ({share:.0%} of it reached) |")
    print(f"\n{collecting:.0%} of an update is collecting, the rest is learning.")


if __name__ == "__main__":
    main()
