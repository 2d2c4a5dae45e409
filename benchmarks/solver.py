"""How fast the double-dummy solver is: `python -m benchmarks.solver`, tables in markdown.

One core, processor time. Deals are random. For *best trump* a seat drawn at random declares and
names the trump that `handvalue` likes best, at 70 (no Ghna) or 100 (all of it). For *bid* and for
what comes after some tricks, four club players bid and play the cards.

Tails are heavy: a mean says what a batch costs, a median what to expect.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from touti_env import Game, agent, handvalue, resample, solver
from touti_env.core.state import AUCTION, SIGNAL, TRUMP

Work: TypeAlias = Callable[[Game], int]
"""Something done to a position; returns the nodes that it took."""

UNLIMITED = solver.UNLIMITED


def whole(game: Game) -> int:
    """The total."""
    return solver.bounds(game.state, UNLIMITED).nodes


def made(game: Game) -> int:
    """Whether the contract is made."""
    solver.made(game.state)
    return solver.last_nodes()


def each_total(game: Game) -> int:
    """The total after every action."""
    solver.values(game.state)
    return solver.last_nodes()


def each_made(game: Game) -> int:
    """Whether the contract is made after every action."""
    return solver.vote(np.asarray(game.state)).nodes


def with_best_trump(seed: int, contract: int) -> Game:
    """A deal whose declarer is drawn at random."""
    game = Game(seed=seed)
    declarer = seed * 7919 % 4
    while game.state.phase in (AUCTION, SIGNAL):
        if game.state.phase == SIGNAL:
            game.push("silent")
        else:
            bids = game.seat == declarer and not game.state.contract
            game.push(str(contract) if bids else "pass")
    hand = game.state.hands[declarer]
    game.push(f"trump {'OCEB'[handvalue.best_trump(game.state.rules, hand, contract)]}")
    return game


def by_the_club(seed: int, tricks: int) -> Game:
    """A deal bid and played by club players; the next one where nobody bids."""
    player = agent.load("heuristic")
    game = Game(seed=seed)
    while game.state.phase in (AUCTION, SIGNAL, TRUMP) or game.state.played < 4 * tricks:
        game.push(player.act(game.view(game.seat)))
        if game.deal_over:
            game.next_deal()
    return game


ROWS: list[tuple[str, Callable[[int], Game], Work, str]] = [
    ("best trump at 70, total", lambda seed: with_best_trump(seed, 70), whole, "10; 20"),
    ("best trump at 100, total", lambda seed: with_best_trump(seed, 100), whole, "13; 25"),
    ("bid, total", lambda seed: by_the_club(seed, 0), whole, ""),
    ("bid, made?", lambda seed: by_the_club(seed, 0), made, "1;"),
    ("bid, every opening lead made?", lambda seed: by_the_club(seed, 0), each_made, ""),
    ("after 4 tricks, total", lambda seed: by_the_club(seed, 4), whole, ""),
    ("after 4 tricks, made?", lambda seed: by_the_club(seed, 4), made, ""),
    ("after 4 tricks, every total", lambda seed: by_the_club(seed, 4), each_total, ""),
    ("after 4 tricks, every card made?", lambda seed: by_the_club(seed, 4), each_made, ""),
    ("after 6 tricks, total", lambda seed: by_the_club(seed, 6), whole, ""),
    ("after 6 tricks, made?", lambda seed: by_the_club(seed, 6), made, ""),
    ("after 6 tricks, every total", lambda seed: by_the_club(seed, 6), each_total, ""),
    ("after 6 tricks, every card made?", lambda seed: by_the_club(seed, 6), each_made, ""),
]
"""What is measured, on which positions, and the milliseconds to reach: median; mean."""


def measure(make: Callable[[int], Game], work: Work, deals: int) -> tuple[list[float], list[int]]:
    """Milliseconds and nodes for each of `deals` positions."""
    times, nodes = [], []
    work(make(0))
    for seed in range(1, deals + 1):
        game = make(seed)
        begun = time.process_time()
        nodes.append(work(game))
        times.append((time.process_time() - begun) * 1000)
    return times, nodes


def speed_table(deals: int) -> str:
    """Times and nodes of every row."""
    lines = [
        "| position, question | ms median | mean | p95 | max | reach | nodes median | mean | /s |",
        "|---|---:|---:|---:|---:|---|---:|---:|---:|",
    ]
    for name, make, work, reach in ROWS:
        tell(name)
        times, nodes = measure(make, work, deals)
        spread = [np.median(times), np.mean(times), np.percentile(times, 95), max(times)]
        cells = [f"{number:.3g}" for number in spread] + [reach]
        cells += [f"{np.median(nodes):,.0f}", f"{np.mean(nodes):,.0f}"]
        cells += [f"{sum(nodes) / sum(times) / 1000:.1f} M"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    tell("")
    return "\n".join(lines)


def worlds_table(positions: int, worlds: int) -> str:
    """How many resampled worlds a second are searched, every legal card with yes or no."""
    lines = ["| tricks played | worlds a second | nodes a world |", "|---|---:|---:|"]
    for tricks in (0, 4, 6):
        spent, nodes = 0.0, 0
        for seed in range(1, positions + 1):
            game = by_the_club(seed, tricks)
            drawn = resample(game.view(game.seat), np.random.default_rng(seed), worlds)
            begun = time.process_time()
            nodes += solver.vote(drawn).nodes
            spent += time.process_time() - begun
        total = positions * worlds
        lines.append(f"| {tricks} | {total / spent:,.0f} | {nodes / total:,.0f} |")
    return "\n".join(lines)


START = """
import time
from touti_env import Game, solver
game = Game(seed=1)
for word in ("pass", "pass", "pass", "100", "trump O"):
    game.push(word)
begun = time.process_time()
solver.points(game.state), solver.made(game.state)
first = time.process_time() - begun
solver.values(game.state)
print(first, time.process_time() - begun)
"""


def start_table() -> str:
    """Processor seconds of the first questions of a process."""
    lines = ["| cache | points, made | and values |", "|---|---:|---:|"]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        for name in ("empty", "warm"):
            command = [sys.executable, "-c", START]
            run = subprocess.run(command, env=environment, check=True, capture_output=True)
            first, last = map(float, run.stdout.split())
            lines.append(f"| {name} | {first:.2f} s | {last:.2f} s |")
    return "\n".join(lines)


def tell(what: str) -> None:
    """On a terminal: what is being measured, in place of what was told before."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The speed of the double-dummy solver.")
    parser.add_argument("--deals", type=int, default=300, metavar="N", help="of every row")
    parser.add_argument("--positions", type=int, default=40, metavar="N", help="to resample")
    parser.add_argument("--worlds", type=int, default=25, metavar="N", help="of every position")
    parser.add_argument("--no-start", action="store_true", help="leave out the compiler")
    options = parser.parse_args(arguments)
    print(speed_table(options.deals), end="\n\n")
    print(worlds_table(options.positions, options.worlds), end="\n\n")
    if not options.no_start:
        print(start_table())


if __name__ == "__main__":
    main()
