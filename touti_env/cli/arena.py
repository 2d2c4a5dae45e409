"""`touti arena`: agents against one another on duplicate deals."""

from __future__ import annotations

import argparse
from typing import Any

from .. import agent, arena
from ..notation import IllegalAction
from ..results import CrossPlay, Match
from .options import Refused, give_out, match_options, reader, terminal_progress


def add(commands: Any) -> None:
    """`touti arena`: agents against one another on duplicate deals."""
    parser = commands.add_parser(
        "arena",
        help="agents against one another on duplicate deals",
        description="Play every deal at two tables with the seats exchanged. Two agents play a "
        "match; of three or more, every pair plays the same deals.",
    )
    parser.set_defaults(run=run, parser=parser)
    a_spec = reader(agent.load)
    parser.add_argument("agent", metavar="AGENT", type=a_spec, help="for example heuristic")
    parser.add_argument("others", metavar="OPPONENT", type=a_spec, nargs="+")
    match_options(parser)


def run(options: argparse.Namespace) -> None:
    """Play, and print a table, or JSON, or both."""
    agents = [options.agent, *options.others]
    rest = (options.deals, options.seed, options.rules, options.batch, terminal_progress("arena"))
    try:
        if len(agents) == 2:
            result: Match | CrossPlay = arena.duplicate(agents[0], agents[1], *rest)
        else:
            result = arena.cross_play(agents, *rest)
    except IllegalAction as error:
        raise Refused(str(error), 1) from error
    give_out(result.asdict(), result.table(), options.json)
