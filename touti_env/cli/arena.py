"""`touti arena`: agents against one another on duplicate deals."""

from __future__ import annotations

import argparse
from typing import Any

from .. import agent, arena
from ..core.deal import MAX_SEED
from ..core.rules import VARIANTS, as_rules
from ..results import CrossPlay, Match
from .options import give_out, output, reader, terminal_progress, whole


def add(commands: Any) -> None:
    """`touti arena`: agents against one another on duplicate deals."""
    parser = commands.add_parser(
        "arena",
        help="agents against one another on duplicate deals",
        description="Play every deal at two tables with the seats exchanged. Two agents play a "
        "match; of three or more, every pair plays the same deals.",
    )
    parser.set_defaults(run=run)
    a_spec = reader(agent.load)
    parser.add_argument("agent", metavar="AGENT", type=a_spec, help="for example heuristic")
    parser.add_argument("others", metavar="AGENT", type=a_spec, nargs="+", help="its opponents")
    parser.add_argument("--deals", type=whole(2), default=1000, metavar="N", help="default: 1000")
    parser.add_argument(
        "--seed", type=whole(0, MAX_SEED), default=0, metavar="N", help="which deals; default: 0"
    )
    parser.add_argument(
        "--rules", type=reader(as_rules), default="standard", help=f"{', '.join(VARIANTS)}"
    )
    parser.add_argument(
        "--batch", type=whole(1), default=512, metavar="N", help="deals played at once"
    )
    parser.add_argument(
        "--json", type=reader(output), metavar="FILE", help="write the result as JSON; - for stdout"
    )


def run(options: argparse.Namespace) -> None:
    """Play, and print a table, or JSON, or both."""
    agents = [options.agent, *options.others]
    rest = (options.deals, options.seed, options.rules, options.batch, terminal_progress("arena"))
    if len(agents) == 2:
        result: Match | CrossPlay = arena.duplicate(agents[0], agents[1], *rest)
    else:
        result = arena.cross_play(agents, *rest)
    give_out(result.asdict(), result.table(), options.json)
