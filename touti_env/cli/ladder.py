"""`touti ladder`: agents rated by all their matches on the same deals."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from .. import agent, ladder
from ..notation import IllegalAction
from .options import Refused, give_out, match_options, reader, terminal_progress, writable


def add(commands: Any) -> None:
    """`touti ladder`: agents rated by all their matches on the same deals."""
    parser = commands.add_parser(
        "ladder",
        help="agents rated by all their matches on the same deals",
        description="Play every pair of the agents on the same deals, each at two tables with the "
        "seats exchanged; print ratings, points a deal of every pair, cycles and contracts.",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "agents",
        metavar="AGENT",
        type=reader(entrant),
        nargs="+",
        help="for example pimc",
    )
    match_options(parser, "plot")
    parser.add_argument(
        "--anchor",
        type=reader(entrant),
        default=ladder.ANCHOR,
        metavar="AGENT",
        help=f"plays along, rated 0; default: {ladder.ANCHOR}",
    )
    parser.add_argument(
        "--keep",
        type=reader(writable),
        metavar="FILE",
        help="keep the matches in FILE as they are played, and go on from those that it has",
    )
    parser.add_argument(
        "--plot", type=reader(picture), metavar="FILE", help="draw ratings and points, say to a.png"
    )


class Entrant(NamedTuple):
    """An agent, the line of text that names it, and digests of the files that it is made of."""

    spec: str
    agent: agent.Agent
    files: dict[str, str]


def entrant(spec: str) -> Entrant:
    """The agent of a line of text; what `agent.load` raises, it raises."""
    return Entrant(spec, agent.load(spec), agent.files(spec))


def picture(path: str) -> str:
    """The path of a picture to write.

    Raises:
        ValueError: Matplotlib is missing, cannot write such a file, or there is no such folder.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ModuleNotFoundError as error:
        raise ValueError("a picture needs matplotlib: pip install 'touti-env[plot]'") from error
    valid = sorted(FigureCanvasBase.get_supported_filetypes())
    if Path(path).suffix.removeprefix(".") not in valid:
        raise ValueError(f"{path!r} is no picture; its suffix may be {', '.join(valid)}")
    return writable(path)


def run(options: argparse.Namespace) -> None:
    """Play what is not yet played, and print the standings, or JSON, or both."""
    entrants = {entrant.spec: entrant for entrant in (*options.agents, options.anchor)}
    if len(entrants) == 1:
        options.parser.error(f"{options.anchor.spec} is alone; name an agent besides the anchor")
    try:
        standings = ladder.play(
            {spec: entrant.agent for spec, entrant in entrants.items()},
            options.deals,
            options.seed,
            options.rules,
            options.batch,
            options.anchor.spec,
            options.keep,
            {spec: entrant.files for spec, entrant in entrants.items()},
            terminal_progress("ladder"),
        )
    except ladder.LadderError as error:
        options.parser.error(str(error))
    except IllegalAction as error:
        raise Refused(str(error), 1) from error
    give_out(standings.asdict(), standings.table(), options.json)
    if options.plot:
        standings.plot(options.plot)
