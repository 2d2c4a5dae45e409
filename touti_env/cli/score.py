"""`touti score`: the score of a deal that was counted at a real table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..core.cards import DECK_POINTS
from ..counting import SIDES, Result, ScoreError, check_points, conceded, played
from ..files import replacing
from ..web import score as web
from .options import STDOUT, Refused, contract, give_out, no_stdout, number, output, reader, writes

POINTS = "0 to 120 are valid (§1.6)"
GHNAS = "40 in trumps and 20 in another suit are valid (§7.1)"


def add(commands: Any) -> None:
    """`touti score`: the score of a deal that was counted at a real table."""
    parser = commands.add_parser(
        "score",
        help="the score of a deal that was counted at a table",
        description="Count a deal: the sum spelled out, made or failed and by how much, who "
        "scores. What cannot have happened is refused, with the rule.",
    )
    parser.set_defaults(run=run, parser=parser)
    add_count(parser)
    parser.add_argument(
        "--json",
        type=reader(output),
        nargs="?",
        const=STDOUT,
        metavar="FILE",
        help="the result as JSON; to stdout if no file is named",
    )
    add_html(parser, "write a page that counts and keeps the sheet, for a phone without network")
    writes(parser, "json", "html")


def add_html(parser: argparse.ArgumentParser, words: str) -> None:
    """The option for the page."""
    parser.add_argument("--html", type=reader(no_stdout("a page")), metavar="FILE", help=words)


def add_count(parser: argparse.ArgumentParser) -> None:
    """The options that say what was counted."""
    count = parser.add_argument_group("what was counted")
    count.add_argument("--contract", type=contract, metavar="N", help="70 to 230")
    points = count.add_mutually_exclusive_group()
    points.add_argument(
        "--points",
        type=number(POINTS),
        metavar="N",
        help="card points of the declaring team, 0 to 120",
    )
    points.add_argument(
        "--defenders-points",
        type=number(POINTS),
        metavar="N",
        help="or those of the defenders; if they conceded, those they had by then",
    )
    count.add_argument("--last-trick", choices=SIDES, help="who won the last trick")
    count.add_argument(
        "--ghna",
        type=number(GHNAS),
        nargs="+",
        default=[],
        metavar="N",
        help="what each Ghna was worth, 40 or 20, in the order declared",
    )
    count.add_argument("--conceded", action="store_true", help="the defenders gave the deal up")
    count.add_argument(
        "--pairs",
        type=number(GHNAS),
        nargs="+",
        default=[],
        metavar="N",
        help="what each pair was worth that the declaring team still held whole, undeclared",
    )


def run(options: argparse.Namespace) -> None:
    """Print the score, and write the page if it is asked for."""
    if options.html:
        write_page(web.page(), options.html)
        if options.contract is None:
            return
    result = counted(options)
    give_out(result.asdict(), result.text(), options.json)


def write_page(page: str, path: str) -> None:
    """Write a page and say where it is."""
    with replacing(path) as file:
        file.write(page)
    print(f"open {Path(path)} in a browser: it needs no network")


def counted(options: argparse.Namespace) -> Result:
    """The result that the options ask for.

    Raises:
        Refused: Something is missing, or cannot have happened.
    """
    if options.contract is None:
        raise Refused("--contract is needed, 70 to 230 (§3.1)")
    try:
        return _conceded(options) if options.conceded else _played(options)
    except ScoreError as error:
        raise Refused(str(error)) from error


def _played(options: argparse.Namespace) -> Result:
    if options.pairs:
        raise Refused("--pairs goes with --conceded: else only a declared Ghna counts (§8.5)")
    if options.last_trick is None:
        raise Refused("--last-trick is needed, declarers or defenders (§6.8)")
    points = options.points
    if options.defenders_points is not None:
        check_points(options.defenders_points)
        points = DECK_POINTS - options.defenders_points
    if points is None:
        raise Refused("--points or --defenders-points is needed (§9.1)")
    return played(options.contract, points, options.last_trick, options.ghna)


def _conceded(options: argparse.Namespace) -> Result:
    if options.points is not None or options.defenders_points is None:
        raise Refused("--conceded needs --defenders-points: the rest is the declarers' (§8.4)")
    if options.last_trick is not None:
        raise Refused("--last-trick: a concession gives it to the declaring team (§8.4)")
    return conceded(options.contract, options.defenders_points, options.ghna, options.pairs)
