"""How fast the environment is, beside others of the field: `python -m benchmarks.speed`.

Everything is measured on one core in processor time, in rounds that take turns, and given as the
median of the rounds: on a machine that is shared, ratios within one run mean more than any number.
A peer that is not installed is named as missing. What is counted is decisions of players, all of
them legal and random.

| row | what is timed |
|---|---|
| batch core | legal actions written, one drawn, applied, over 1,024 games, all compiled |
| VectorEnv | `step(sample())` over 256 games, observations written |
| AEC | `observe` and `step`, actions of whole episodes drawn beforehand |
| the AEC peers | the same |
| OpenSpiel, Python | `legal_actions`, a draw, `apply_action` from Python |
| OpenSpiel, bots | `pyspiel.evaluate_bots` with its own uniform bots, all in C++ |
| RLCard | `env.run` with its random agents |
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from touti_env import Game, VectorEnv, touti_v0
from touti_env.core import batch, engine
from touti_env.core._jit import jit
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.state import copy_states, new_states

# A task is a generator: each `next` does some work and says how many things it did.
Task = Iterator[int]


@jit
def _walk(states: Any, masks: Any, words: Any, actions: Any, steps: int) -> None:
    for _ in range(steps):
        batch.legal(states, masks)
        batch.sample(masks, words, actions)
        for i in range(states.size):
            engine.apply(states[i], actions[i])
            if engine.is_over(states[i]):
                engine.new_match(states[i])


def core(games: int = 1024) -> Task:
    """The compiled rulebook over an array of games."""
    states = new_states(games)
    states["rules"] = Game().rules.record()
    batch.seed_streams(states, 1)
    batch.new_matches(states)
    masks = np.zeros((games, NUM_ACTIONS), np.int8)
    words, actions = np.zeros(games, np.uint64), np.zeros(games, np.int64)
    batch.seed_words(words, 1)
    while True:
        _walk(states, masks, words, actions, 20)
        yield 20 * games


def vector(games: int = 256, **options: Any) -> Task:
    """VectorEnv under uniform play."""
    env = VectorEnv(games, **options)
    env.reset(seed=1)
    while True:
        for _ in range(10):
            env.step(env.sample())
        yield 10 * games


def aec(make: Callable[[], Any], episodes: int = 40) -> Task:
    """An AEC environment, fed with actions of whole episodes drawn beforehand."""
    env, chance = make(), random.Random(1)
    scripts = []
    for seed in range(episodes):
        env.reset(seed=seed)
        script = []
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            mask = env.observe(env.agent_selection)["action_mask"]
            script.append(int(chance.choice(np.flatnonzero(mask))))
            env.step(script[-1])
        scripts.append(script)
    while True:
        for seed, script in enumerate(scripts):
            env.reset(seed=seed)
            for action in script:
                env.observe(env.agent_selection)
                env.step(action)
            yield len(script)


def copy_state() -> Task:
    """Copies of a state record."""
    states = new_states(1)
    while True:
        for _ in range(1000):
            copy_states(states)
        yield 1000


def clone_game() -> Task:
    """Clones of a game in its fifth trick."""
    game, chance = Game(seed=1), random.Random(1)
    while game.state.played < 18:
        game.push(chance.choice(game.legal_actions()))
    while True:
        for _ in range(1000):
            game.clone()
        yield 1000


def open_spiel(name: str) -> Task:
    """An OpenSpiel game stepped from Python."""
    import pyspiel

    game, chance = pyspiel.load_game(name), random.Random(1)
    while True:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[chance.randrange(len(outcomes))][0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[chance.randrange(len(legal))])
                decisions += 1
        yield decisions


def open_spiel_bots(name: str) -> Task:
    """An OpenSpiel game played by its own uniform bots."""
    import pyspiel

    game = pyspiel.load_game(name)
    players = range(game.num_players())
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in players]
    seed = 0
    while True:
        seed += 1
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, seed)
        yield sum(1 for step in state.full_history() if step.player >= 0)


def pettingzoo_peer(name: str, wrapped: bool) -> Task:
    """A PettingZoo classic."""
    from importlib import import_module

    module = import_module(f"pettingzoo.classic.{name}")
    return aec(module.env if wrapped else module.raw_env)


def rlcard_peer(name: str) -> Task:
    """An RLCard game with its random agents."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make(name)
    env.set_agents([RandomAgent(env.num_actions) for _ in range(env.num_players)])
    while True:
        trajectories, _ = env.run(is_training=False)
        yield sum(len(path) // 2 for path in trajectories)


ROWS: dict[str, tuple[Callable[[], Task], float | None]] = {
    "batch core": (core, 8e6),
    "VectorEnv": (vector, 1.5e6),
    "VectorEnv, canonical, forced, state": (
        lambda: vector(canonical_suits=True, play_forced=True, state=True),
        None,
    ),
    "raw AEC": (lambda: aec(touti_v0.raw_env), 100e3),
    "env()": (lambda: aec(touti_v0.env), 50e3),
    "copy of a state": (copy_state, 500e3),
    "Game.clone": (clone_game, 200e3),
    "OpenSpiel bridge, Python": (lambda: open_spiel("bridge(use_double_dummy_result=false)"), None),
    "OpenSpiel bridge, bots": (
        lambda: open_spiel_bots("bridge(use_double_dummy_result=false)"),
        None,
    ),
    "PettingZoo connect_four, raw": (lambda: pettingzoo_peer("connect_four_v3", False), None),
    "PettingZoo connect_four, env()": (lambda: pettingzoo_peer("connect_four_v3", True), None),
    "PettingZoo texas_holdem_no_limit, env()": (
        lambda: pettingzoo_peer("texas_holdem_no_limit_v6", True),
        None,
    ),
    "RLCard bridge": (lambda: rlcard_peer("bridge"), None),
}
"""What is measured, and the rate it is meant to reach, a second."""

RATIOS = (
    ("VectorEnv", "OpenSpiel bridge, Python", 3.0),
    ("raw AEC", "PettingZoo connect_four, raw", 3.0),
    ("env()", "PettingZoo connect_four, raw", 1.6),
)


def measure(rounds: int, seconds: float) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Rates a second by row and round, and why rows are missing."""
    tasks, missing = {}, {}
    for name, (make, _) in ROWS.items():
        try:
            task = make()
            next(task)
            tasks[name] = task
        except Exception as error:
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    rates: dict[str, list[float]] = {name: [] for name in tasks}
    for number in range(rounds):
        for name, task in tasks.items():
            tell(f"round {number + 1}/{rounds}: {name}")
            done, begun = 0, time.process_time()
            while time.process_time() - begun < seconds:
                done += next(task)
            rates[name].append(done / (time.process_time() - begun))
    tell("")
    return rates, missing


START = {
    "import touti_env": ("import touti_env", 0.6),
    "first step, warm cache": (
        "from touti_env import touti_v0; e = touti_v0.env(); e.reset(seed=1);"
        " e.step(int(e.last()[0]['action_mask'].argmax()))",
        1.0,
    ),
    "first step, empty cache": ("", 20.0),
}


def measure_starts(rounds: int) -> dict[str, float]:
    """Processor seconds of fresh processes, the median of `rounds`; the empty cache once."""
    step = START["first step, warm cache"][0]
    times = {}
    with tempfile.TemporaryDirectory() as cache:
        times["first step, empty cache"] = _process_time(step, cache)
        for name in ("import touti_env", "first step, warm cache"):
            tries = [_process_time(START[name][0], cache) for _ in range(rounds)]
            times[name] = statistics.median(tries)
    return times


def _process_time(code: str, cache: str) -> float:
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    before = os.times()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    after = os.times()
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def table(rates: dict[str, list[float]], missing: dict[str, str]) -> str:
    """The rates in Markdown: medians, and how many times the slowest common yardstick."""
    lines = ["| what | a second | reach |", "|---|---:|---|"]
    for name, (_, goal) in ROWS.items():
        if name in missing:
            lines.append(f"| {name} | missing | {missing[name]} |")
            continue
        rate = statistics.median(rates[name])
        reach = "" if goal is None else f"{goal:,.0f}: {rate / goal:.2f} ×"
        lines.append(f"| {name} | {rate:,.0f} | {reach} |")
    lines += ["", "| ratio in this run | | reach |", "|---|---:|---|"]
    for ours, peer, goal in RATIOS:
        if ours in rates and peer in rates:
            ratio = statistics.median(a / b for a, b in zip(rates[ours], rates[peer], strict=True))
            lines.append(f"| {ours} / {peer} | {ratio:.2f} | {goal} |")
    return "\n".join(lines)


def starts_table(times: dict[str, float]) -> str:
    """The start-up times in Markdown."""
    lines = ["| start | processor seconds | reach |", "|---|---:|---|"]
    lines += [f"| {name} | {times[name]:.2f} | {START[name][1]} |" for name in START]
    return "\n".join(lines)


def growth(seconds: float) -> list[dict[str, float]]:
    """VectorEnv's rate by batch size and threads, decisions a second of wall time."""
    points = []
    for threads in sorted({1, os.cpu_count() or 1}):
        for games in (1, 4, 16, 64, 256, 1024, 4096, 16384):
            task = vector(games, threads=threads)
            next(task)
            done, begun = 0, time.perf_counter()
            while time.perf_counter() - begun < seconds:
                done += next(task)
            rate = done / (time.perf_counter() - begun)
            points.append({"games": games, "threads": threads, "rate": rate})
    return points


def plot(points: list[dict[str, float]], path: Path) -> None:
    """Draw how the rate grows."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for threads in sorted({point["threads"] for point in points}):
        rows = [point for point in points if point["threads"] == threads]
        label = f"{threads:.0f} thread{'s' if threads > 1 else ''}"
        axes.plot([p["games"] for p in rows], [p["rate"] for p in rows], "o-", label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("games in the batch")
    axes.set_ylabel("decisions a second, observations written")
    axes.legend()
    figure.savefig(path, dpi=120)


def tell(what: str) -> None:
    """On a terminal: what is being measured, in place of what was told before."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each row in each round")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    parser.add_argument("--plot", type=Path, help="measure the growth with batch size and draw it")
    options = parser.parse_args()
    rates, missing = measure(options.rounds, options.seconds)
    print(table(rates, missing), end="\n\n")
    times = measure_starts(options.rounds)
    print(starts_table(times))
    points = growth(options.seconds) if options.plot else []
    if options.plot:
        plot(points, options.plot)
    if options.json:
        content = {"rates": rates, "missing": missing, "starts": times, "growth": points}
        options.json.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
