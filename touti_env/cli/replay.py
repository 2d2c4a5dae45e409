"""`touti replay`: the deals of a file of records, shown or verified."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from .. import records, render
from ..records import DealRecord, RecordError
from .options import Refused


def add(commands: Any) -> None:
    """`touti replay`: the deals of a file of records, shown or verified."""
    parser = commands.add_parser(
        "replay",
        help="show or verify the deals of a file of records",
        description="Replay the deals that `touti record` or `save` wrote. Every line is verified; "
        "one that does not hold is told with its number, and those after it are shown still.",
    )
    parser.set_defaults(run=run)
    parser.add_argument("file", metavar="FILE", help="JSON Lines, a deal a line")
    parser.add_argument(
        "--verify", action="store_true", help="show nothing, only say whether all lines hold"
    )


def run(options: argparse.Namespace) -> None:
    """Show the deals, or only count them; then name the first line that does not hold."""
    held, wrong = 0, []
    for found in _scan(options.file):
        if isinstance(found, RecordError):
            wrong.append(found)
            continue
        held += 1
        if not options.verify:
            print(f"{render.text(found.end())}\n")
    lines = held + len(wrong)
    if options.verify and lines:
        print(f"{options.file}: {held} of {lines} deals hold")
    if wrong:
        more = f"\n{len(wrong) - 1} lines after it do not hold either" if len(wrong) > 1 else ""
        raise Refused(f"{wrong[0]}{more}", 1)
    if not lines:
        raise Refused(f"{options.file} is empty", 1)


def _scan(path: str) -> Iterator[DealRecord | RecordError]:
    """The lines of a file, if it can be read."""
    try:
        yield from records.scan(path)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", 1) from error
