"""`touti replay`: the deals of a file of records, shown, verified, or written as one page."""

from __future__ import annotations

import argparse
from typing import Any

from .. import agent, analysis, render
from ..core.cards import SEATS
from ..files import replacing
from ..notation import count_of
from ..records import DealRecord, RecordError
from ..web import replay as pages
from . import deals
from .options import Refused, no_stdout, reader, whole, writes


def add(commands: Any) -> None:
    """`touti replay`: the deals of a file of records, shown, verified, or written as one page."""
    parser = commands.add_parser(
        "replay",
        help="show or verify the deals of a file of records, or write them as one page",
        description="Replay the deals that `touti record` or `save` wrote. Every line is verified; "
        "one that does not hold is told with its number, and those after it are shown still.",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("file", metavar="FILE", help="JSON Lines, a deal a line")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--verify", action="store_true", help="show nothing, only say whether all lines hold"
    )
    what.add_argument(
        "-o",
        "--output",
        type=reader(no_stdout("a page")),
        metavar="FILE",
        help="write a page for a browser, which needs no network",
    )
    writes(parser, "output")
    page = parser.add_argument_group("of the page")
    page.add_argument(
        "--seat", type=whole(0, SEATS - 1), metavar="N", help="write what this seat knew, no more"
    )
    page.add_argument(
        "--review",
        type=reader(agent.load),
        metavar="AGENT",
        help="show how probable this agent finds each choice",
    )
    page.add_argument(
        "--dd",
        action="store_true",
        help="price the choices of the play, all playing their best; without a page, their sum",
    )


def run(options: argparse.Namespace) -> None:
    """Show, count or write the deals; then name the first line that does not hold."""
    given = {"--seat": options.seat is not None, "--review": options.review}
    if not options.output and any(given.values()):
        named = " ".join(name for name, is_given in given.items() if is_given)
        raise Refused(f"{named}: of use with -o FILE only")
    if options.verify and options.dd:
        raise Refused("--dd: of no use with --verify")
    held: list[DealRecord] = []
    wrong: list[RecordError] = []
    for found in deals.lines(options.file):
        if isinstance(found, RecordError):
            wrong.append(found)
            continue
        held.append(found)
        if not options.verify and not options.output:
            _tell(len(held) + len(wrong), found, options.dd)
    if options.verify and not deals.is_foreign(len(held), wrong):
        print(f"{options.file}: {len(held):,} of {len(held) + len(wrong):,} deals hold")
    if options.output and held:
        _write(options, held)
    deals.refuse(len(held), wrong)


def _tell(number: int, deal: DealRecord, priced: bool) -> None:
    """A deal in words: which of the file it is, who played, and how it went."""
    agents = "".join(f", seat {seat} {name}" for seat, name in enumerate(deal.agents or ()))
    print(f"Deal {number}{agents}")
    print(f"{render.text(deal.end())}{_prices(deal) if priced else ''}\n")


def _prices(record: DealRecord) -> str:
    """A line about what each seat's choices have cost; nothing if no card was played."""
    review = analysis.review(record)
    if review.par is None:
        return ""
    each = ", ".join(f"seat {seat} {cost}" for seat, cost in enumerate(review.costs()))
    return f"\n  points that the choices of the play cost, with all cards known: {each}"


def _write(options: argparse.Namespace, held: list[DealRecord]) -> None:
    """Write the page, whole or not at all."""
    content = pages.page(held, options.seat, options.review, options.dd)
    try:
        with replacing(options.output) as file:
            file.write(content)
    except OSError as error:
        raise Refused(f"{options.output} cannot be written: {error.strerror}", 1) from error
    size = len(content.encode()) / 1000
    print(f"{count_of(len(held), 'deal')} in {options.output}, {size:,.0f} kB")
