"""How fast the trainer learns, and where its time goes: `python -m benchmarks.training`.

Measured in turns, in rounds, as decisions a second of wall time, medians given: the trainer on one
core and on all of them, and the limit: the same matrix products alone, back to back, on one core
and on all. The share of the limit that is reached says how much of the time is spent on anything
else: games, masks, sampling, gathering rows, the optimiser. What the products gain by more cores is
what this machine has to give: cores share memory and, on rented machines, often more.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import train
from agents import config
from agents.crew import Crew
from agents.network import Actor, Critic
from agents.options import Args
from touti_env.observation import SIZE, STATE_SIZE


def trainer(threads: int, precision: str) -> train.Trainer:
    """A fresh run with the default configuration, on so many threads."""
    args = config.parse(
        Args,
        ["--name", f"bench{threads}", "--threads", str(threads), "--precision", precision],
        train.DEFAULT_CONFIG,
    )
    return train.Trainer(args)


def update(run: train.Trainer) -> tuple[float, float, float]:
    """One update: the learner's decisions a second, the share of collecting, and how many."""
    begun = time.perf_counter()
    experiences = run.collect(run.args.gae_lambda, run.args.solver_since)
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
    parser.add_argument("--precision", default=Args.precision)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("runs").mkdir()
        one = trainer(1, options.precision)
        every = trainer(options.threads, options.precision)
        runs = (one, every)
        limits = [products(run, run.crew) for run in runs]
        rounds = [measured(runs, limits) for _ in range(options.rounds + 1)][1:]
        os.chdir("/")
    rates, most, collecting = (np.array(kind) for kind in zip(*rounds, strict=True))
    print(f"| decisions a second, {one.kind} | one core | {options.threads} cores | gain |")
    print("|---|---:|---:|---:|")
    for name, of in (("the trainer", rates), ("its matrix products alone", most)):
        print(f"| {name} | {middle(of[:, 0]):,.0f} | {middle(of[:, 1]):,.0f} |", end="")
        print(f" {middle(of[:, 1] / of[:, 0]):.2f} × |")
    print(f"| reached | {middle(rates[:, 0] / most[:, 0]):.0%} |", end="")
    print(f" {middle(rates[:, 1] / most[:, 1]):.0%} | |")
    print(f"\n{middle(collecting):.0%} of an update is collecting, the rest is learning.")


def measured(
    runs: Sequence[train.Trainer], limits: Sequence[Callable[[], float]]
) -> tuple[list[float], list[float], float]:
    """One round: each trainer's rate, each one's limit, and the last one's share of collecting."""
    rates, most = [], []
    for run, limit in zip(runs, limits, strict=True):
        rate, collecting, decisions = update(run)
        rates.append(rate)
        most.append(decisions / limit())
    return rates, most, collecting


def middle(values: Any) -> float:
    """The median."""
    return float(np.median(values))


if __name__ == "__main__":
    main()
