"""`touti record`: agents play, and every deal is kept as a line of JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any

from .. import agent, recording, records
from ..core.cards import SEATS
from ..core.deal import MAX_SEED
from ..core.rules import VARIANTS, as_rules
from ..notation import count_of
from .options import STDOUT, Refused, output, reader, terminal_progress, whole, writes


def add(commands: Any) -> None:
    """`touti record`: agents play, and every deal is kept as a line of JSON."""
    parser = commands.add_parser(
        "record",
        help="agents play, every deal is kept as a line of JSON",
        description="Play deals, or whole matches, and write a record of each deal: JSON Lines, "
        "verified when they are read. One agent plays all seats, the first of two seats 0 and 2, "
        "each of four one seat.",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("agents", metavar="AGENT", type=reader(agent.load), nargs="+")
    parser.add_argument(
        "-o",
        "--output",
        type=reader(output),
        required=True,
        metavar="FILE",
        help="the file to write, or - for stdout",
    )
    writes(parser, "output")
    number = parser.add_mutually_exclusive_group()
    number.add_argument(
        "--deals", type=whole(1), default=100, metavar="N", help="at 0:0 each; default: 100"
    )
    number.add_argument("--matches", type=whole(1), metavar="N", help="to the target, instead")
    parser.add_argument(
        "--seed", type=whole(0, MAX_SEED), default=0, metavar="N", help="which deals; default: 0"
    )
    parser.add_argument(
        "--rules", type=reader(as_rules), default="standard", help=f"{', '.join(VARIANTS)}"
    )
    parser.add_argument(
        "--probs", action="store_true", help="keep the agents' probabilities of every action"
    )


def run(options: argparse.Namespace) -> None:
    """Play and write; what an interruption leaves are whole lines."""
    agents = _seated(options.agents)
    if options.probs and not any(hasattr(agent, "probs") for agent in agents):
        names = ", ".join(dict.fromkeys(agent.name for agent in agents))
        raise Refused(f"--probs: no agent of {names} tells its probabilities")
    number = options.matches or options.deals
    play = partial(
        recording.matches if options.matches else recording.deals,
        agents,
        number,
        options.seed,
        options.rules,
        options.probs,
    )
    if options.output == STDOUT:
        for record in play():
            sys.stdout.write(f"{records.dumps(record)}\n")
        return
    show = None if options.matches else terminal_progress("record")
    try:
        writer = records.Writer(options.output, options.force)
        _write(writer, play(), number, show)
    except (OSError, ValueError) as error:
        raise Refused(str(error), 1) from error
    print(f"{count_of(writer.written, 'deal')} in {options.output}")


def _seated(agents: list[Any]) -> list[Any]:
    """The agents at seats 0 to 3."""
    if len(agents) not in (1, 2, SEATS):
        raise Refused(f"{len(agents)} agents were named; 1, 2 (seats 0 and 2, 1 and 3) or 4 can be")
    return agents * (SEATS // len(agents))


def _write(
    writer: records.Writer, played: Iterable[records.DealRecord], number: int, show: Any
) -> None:
    """Write the records as they come; Ctrl-C is told how many were kept."""
    try:
        with writer:
            for record in played:
                writer.write(record)
                if show:
                    show(writer.written, number)
    except KeyboardInterrupt:
        print(f"\n{count_of(writer.written, 'deal')} in {writer.path}", file=sys.stderr)
        raise
