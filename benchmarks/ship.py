"""Make a policy the one that comes with the package: `python -m benchmarks.ship FILE`.

It is kept in half precision. Into its metadata goes a card: what the file, as it is shipped, scores
against each of `FIELD`. docs/net.md shows the card (`python docs/tables.py`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from touti_env import agent, arena
from touti_env.baselines import net
from touti_env.core.rules import as_rules

FIELD = {"heuristic": 4000, "sane": 4000, "uniform": 4000, "pimc?worlds=20": 500}
"""Whom it meets, and on how many duplicate deals."""
SEED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, play the matches, write it again with its card; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ship",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, help="a policy file that train.py wrote")
    parser.add_argument("--to", type=Path, default=net.SHIPPED, help="where to put it")
    options = parser.parse_args(arguments)
    try:
        policy = net.read(options.file)
    except (FileNotFoundError, net.PolicyError) as error:
        print(f"ship: {error}", file=sys.stderr)
        return 2
    options.to.parent.mkdir(parents=True, exist_ok=True)
    write(policy, options.to, {})
    write(policy, options.to, card(options.to))
    return 0


def write(policy: net.Policy, path: Path, its_card: dict[str, Any]) -> None:
    """The policy in half precision, with the card among what is said of its training."""
    tensors = {key: x.astype(np.float16) for key, x in (policy.tensors | policy.belief).items()}
    net.write(
        path,
        tensors,
        tuple(policy.meta["hidden"]),
        as_rules(policy.meta["rules"]),
        {**policy.meta["training"], "card": its_card},
        policy.canonical,
        policy.belief_hidden,
    )


def card(path: Path) -> dict[str, Any]:
    """What the policy of a file scores against each of the field, by name."""
    player, rows = net.load(str(path)), {}
    for name, deals in FIELD.items():
        match = arena.duplicate(player, agent.load(name), deals, seed=SEED)
        print(match.table(), end="\n\n", flush=True)
        rows[name] = {
            "deals": deals,
            "mean": round(match.mean, 2),
            "standard_error": round(match.standard_error, 2),
        }
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
