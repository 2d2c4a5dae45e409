"""What each part of the training recipe is worth: `python -m benchmarks.ablation`.

Trains every variant of the recipe from some seeds, plays each of their nets against `heuristic` and
head to head against the base recipe's net of the same seed, all on the same duplicate deals, and
prints a table. What is there already is not made again, so an interrupted command is given again.

In the table a lead is the mean over the seeds, with its 95% interval over deals: that is the luck
of the cards for these very nets. What is given after it is the standard deviation over the seeds:
the luck of training. The seconds are those of self-play, by the wall clock.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.options import NEVER, Args
from benchmarks.kept import Help, answered, in_words, lead, match, player, price, trained
from touti_env.results import Values

VARIANTS: dict[str, dict[str, Any]] = {
    "no-cloning": {"clone_updates": 0},
    "table-suits": {"canonical_suits": False},
    "no-past": {"past_share": 0.0},
    "no-bot": {"bot_share": 0.0},
    "self-only": {"past_share": 0.0, "bot_share": 0.0},
    "more-past": {"past_share": 0.5},
    "own-critic": {"critic_sees_all": False},
    "by-phase": {"normalise_by_phase": True},
    "constant-step": {"learning_rate_end": 3e-4},
    "step-1e-3": {"learning_rate": 1e-3},
    "no-entropy": {"ent_coef": 0.0, "ent_coef_end": 0.0},
    "entropy-0.01": {"ent_coef": 0.01, "ent_coef_end": 0.003},
    "entropy-0.03": {"ent_coef": 0.03, "ent_coef_end": 0.01},
    "epochs-1": {"update_epochs": 1},
    "epochs-3": {"update_epochs": 3},
    "net-128": {"actor_hidden": (128, 128), "critic_hidden": (128, 128)},
    "net-512": {"actor_hidden": (512, 512), "critic_hidden": (512, 512)},
    "three-layers": {"actor_hidden": (256, 256, 256), "critic_hidden": (256, 256, 256)},
    "lambda-0.8": {"gae_lambda": 0.8},
    "lambda-0.95": {"gae_lambda": 0.95},
    "lambda-1": {"gae_lambda": 1.0},
    "no-solver": {"solver_since": NEVER},
    "solver-since-4": {"solver_since": 4},
    "solver-since-8": {"solver_since": 8},
    "solver-20": {"solver_coef": 20.0},
    "reward-0.1": {"reward_scale": 0.1},
    "reward-10": {"reward_scale": 10.0},
    "float32": {"precision": "float32"},
    "match": {"episode": "match"},
    "match-to-win": {"episode": "match", "reward": "win", "gae_lambda": 0.98},
}
"""Each by the options in which it differs from the base recipe, configs/default.toml."""
BASE = "base"
DEALS_SEED = 2
"""Evaluations in training use 0 and 1."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, play and print; returns the exit status."""
    chosen = [BASE, *VARIANTS]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ablation",
        description=__doc__,
        epilog="All other options are those of train.py and hold for every run: --updates 75. But\n"
        "--belief-updates is 0: nobody needs to read the table here.\n"
        f"Variants: {', '.join(chosen)}.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=chosen,
        default=argparse.SUPPRESS,
        metavar="VARIANT",
        help="these alone, and the base recipe",
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many, from --seed on")
    parser.add_argument("--deals", type=int, default=4000, help="of each match")
    parser.add_argument("--name", default="ablation", help="the runs are in runs/NAME")
    return answered(parser, arguments, measured, table)


def measured(base: Args, options: argparse.Namespace) -> dict[str, Any]:
    """All numbers, by variant; the base recipe is the first."""
    seeds = range(base.seed, base.seed + options.seeds)
    only = getattr(options, "only", VARIANTS)
    chosen = {BASE: {}, **{name: VARIANTS[name] for name in VARIANTS if name in only}}
    nets: dict[tuple[str, int], Path] = {}
    # By seeds, so that what is interrupted has a whole table of fewer seeds.
    for seed in seeds:
        for name, changes in chosen.items():
            run = f"{options.name}/{name}-{seed}"
            nets[name, seed] = trained(dataclasses.replace(base, **changes, name=run, seed=seed))

    def against(name: str, rival: str) -> dict[str, Any]:
        return over_seeds(
            np.array(
                [
                    match(
                        net.with_name(f"against_{rival}.json"),
                        player(net),
                        player(nets[BASE, seed]) if rival == BASE else rival,
                        options.deals,
                        DEALS_SEED,
                        base.rules,
                    )
                    for seed in seeds
                    for net in [nets[name, seed]]
                ]
            )
        )

    variants = {
        name: {
            "differs": changes,
            "training": [price(nets[name, seed]) for seed in seeds],
            "heuristic": against(name, "heuristic"),
            **({} if name == BASE else {"head_to_head": against(name, BASE)}),
        }
        for name, changes in chosen.items()
    }
    return {
        "base": dataclasses.asdict(base),
        "seeds": list(seeds),
        "deals": options.deals,
        "deals_seed": DEALS_SEED,
        "variants": variants,
    }


def over_seeds(values: Values) -> dict[str, Any]:
    """Of deals' values [seeds, deals]: the lead of all seeds together, each seed's, the spread."""
    by_seed = values.mean(1).tolist()
    spread = float(np.std(by_seed, ddof=1)) if len(by_seed) > 1 else None
    return {**lead(values.mean(0)), "by_seed": by_seed, "spread": spread}


def table(result: dict[str, Any]) -> list[str]:
    """The numbers as lines of Markdown."""
    lines = [
        "| variant | differs in | against `heuristic` | against the base | seconds |",
        "|---|---|---:|---:|---:|",
    ]
    for name, row in result["variants"].items():
        differs = ", ".join(f"`{key}` {_plain(value)}" for key, value in row["differs"].items())
        head = _cell(row["head_to_head"]) if "head_to_head" in row else ""
        seconds = np.mean([training["seconds"] for training in row["training"]])
        heuristic = _cell(row["heuristic"])
        lines.append(f"| {name} | {differs} | {heuristic} | {head} | {seconds:,.0f} |")
    count = len(result["seeds"])
    return [
        *lines,
        "",
        f"Points a deal (95% interval over {result['deals']:,} duplicate deals) "
        f"± deviation over seeds; {count} seed{'s' * (count > 1)}.",
    ]


def _cell(lead: dict[str, Any]) -> str:
    spread = "" if lead["spread"] is None else f" ± {lead['spread']:.1f}"
    return in_words(lead) + spread


def _plain(value: Any) -> str:
    return " × ".join(map(str, value)) if isinstance(value, tuple) else str(value)


if __name__ == "__main__":
    sys.exit(main())
