"""Runs and matches that are made once: what is in their files already is not made again."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import train
from agents import config
from agents.options import Args
from agents.run import RunFolder
from touti_env import __version__, agent, arena
from touti_env.baselines import net
from touti_env.core.rules import RULES_VERSION
from touti_env.files import replacing
from touti_env.results import Values, interval_of, mean_and_error


class Help(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Help that keeps the lines of the description and tells defaults."""


def answered(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    measured: Callable[[Args, argparse.Namespace], dict[str, Any]],
    table: Callable[[dict[str, Any]], list[str]],
) -> int:
    """Measure what the command line asks for, print the table; returns the exit status.

    What `parser` does not know are options of train.py.
    """
    parser.add_argument(
        "--json", type=Path, default=argparse.SUPPRESS, help="write the numbers to this file too"
    )
    options, rest = parser.parse_known_args(arguments)
    if options.seeds < 1:
        parser.error(f"--seeds is {options.seeds}; 1 or more is valid")
    name = parser.prog.rpartition(".")[2]
    try:
        # Their matches need nobody who reads the table, so that is not learned.
        base = config.parse(Args, [*rest, "--belief-updates", "0"], train.DEFAULT_CONFIG)
        result = measured(base, options)
    except (FileNotFoundError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: interrupted; the same command goes on", file=sys.stderr)
        return 130
    if "json" in options:
        with replacing(options.json) as file:
            json.dump(result, file, indent=2)
    print("", *table(result), sep="\n")
    return 0


class Run(train.Trainer):
    """A training run without matches at its end: they are played here, on deals that all share."""

    def report(self) -> None:
        """Nothing."""


def trained(args: Args) -> Path:
    """The policy of a run with these options, which is made, or gone on with, if need be.

    Raises:
        ValueError: The run's folder holds one with other options.
        KeyboardInterrupt: The run was interrupted. It is saved.
    """
    folder = RunFolder(train.RUNS / args.name)
    begun = folder.checkpoint.exists()
    if begun:
        _check_same(folder, args)
        content = folder.load()
        if (content["imitated"], content["update"]) == (args.clone_updates, args.updates):
            return folder.policy
    print(f"\n{args.name}{': going on' if begun else ''}", flush=True)
    run = Run(dataclasses.replace(args, resume=begun))
    run.run()
    run.crew.close()
    if run.interrupted:
        raise KeyboardInterrupt
    return folder.policy


def _check_same(folder: RunFolder, args: Args) -> None:
    made = dataclasses.asdict(Args(**config.read(Args, folder.options)))
    for key, asked in dataclasses.asdict(args).items():
        if made[key] != asked and key != "resume":
            raise ValueError(
                f"{folder.path} holds a run with {key} {made[key]!r}, not {asked!r}; "
                "ask for the same, or choose another --name"
            )


def price(policy: Path) -> dict[str, int]:
    """From how many decisions a policy learned by self-play, and how many seconds that took."""
    training = net.read(policy).meta["training"]
    return {key: training[key] for key in ("decisions", "seconds")}


def match(path: Path, a: str, b: str, deals: int, seed: int, rules: str) -> Values:
    """By how much the agent `a` leads `b` on each deal; in `path` as long as they are the same."""
    asked = {
        "agents": {spec: agent.files(spec) for spec in (a, b)},
        "deals": deals,
        "seed": seed,
        "rules": rules,
        "versions": [__version__, RULES_VERSION],
    }
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if kept.get("match") != asked:
        print(f"{a} against {b}: {deals:,} deals", flush=True)
        values = arena.duplicate(agent.load(a), agent.load(b), deals, seed, rules).values
        kept = {"match": asked, "values": values}
        with replacing(path) as file:
            json.dump(kept, file)
    return np.array(kept["values"])


def player(policy: Path) -> str:
    """The agent that a policy file holds, as a line of text."""
    return f"agents.policy?checkpoint={policy}"


def lead(values: Values) -> dict[str, Any]:
    """The mean of deals' values, its standard error and its 95% interval."""
    mean, error = mean_and_error(values)
    return {"mean": mean, "standard_error": error, "interval_95": list(interval_of(values))}


def in_words(lead: dict[str, Any]) -> str:
    """`+7.9 (+6.5 to +9.3)`."""
    low, high = lead["interval_95"]
    return f"{lead['mean'] + 0.0:+.1f} ({low + 0.0:+.1f} to {high + 0.0:+.1f})"
