"""`touti sheet`: the score sheet of a match at a real table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .. import scoresheet
from ..counting import ScoreError
from ..files import replacing
from ..scoresheet import Entry, Sheet
from ..web import score as web
from .options import STDOUT, Refused, output, reader, whole, writes
from .score import add_count, add_html, counted, write_page


def add(commands: Any) -> None:
    """`touti sheet`: the score sheet of a match at a real table."""
    parser = commands.add_parser(
        "sheet",
        help="the score sheet of a match at a table",
        description="Keep the score of a match in a file: begin it with `new`, then `add` each "
        "deal. The deal passes on after every one, cancelled ones included. Without a verb, the "
        "sheet is shown.",
    )
    parser.set_defaults(run=run, parser=parser, verb=None)
    parser.add_argument("file", metavar="FILE", help="the sheet, as JSON")
    shown = parser.add_mutually_exclusive_group()
    for form in ("json", "csv"):
        shown.add_argument(
            f"--{form}",
            type=reader(output),
            nargs="?",
            const=STDOUT,
            metavar="OUT",
            help=f"the sheet as {form.upper()}; to stdout if no file is named",
        )
    add_html(parser, "write a page that holds the sheet and can go on with it, without network")
    writes(parser, "json", "csv", "html")
    _add_verbs(parser.add_subparsers(title="verbs", metavar="VERB"))


def _add_verbs(verbs: Any) -> None:
    new = verbs.add_parser("new", help="begin a sheet: four names, in order of play")
    new.add_argument("names", metavar="NAME", nargs=4, help="seats 0 to 3; partners sit opposite")
    new.add_argument("--dealer", metavar="NAME", help="who deals first; default: the first name")
    writes(new, "file", "json", "csv", "html", default=argparse.SUPPRESS)
    new.set_defaults(parser=new, verb=_new)
    more = verbs.add_parser("add", help="write a deal down")
    more.set_defaults(parser=more, verb=_add)
    edit = verbs.add_parser("edit", help="change a deal; all after it is counted anew")
    edit.add_argument("number", type=whole(1), metavar="DEAL", help="its number, from 1")
    edit.set_defaults(parser=edit, verb=_edit)
    for parser in (more, edit):
        parser.add_argument("--declarer", metavar="NAME", help="a name, or a seat 0 to 3")
        parser.add_argument("--cancelled", action="store_true", help="nobody bid")
        add_count(parser)
    undo = verbs.add_parser("undo", help="take back the last add or edit")
    undo.set_defaults(parser=undo, verb=_undo)


def run(options: argparse.Namespace) -> None:
    """Change the sheet if a verb says so, then show it, or give it out."""
    try:
        if options.verb:
            sheet = options.verb(options)
            scoresheet.dump(sheet, options.file)
        else:
            sheet = _open(options.file)
    except ScoreError as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"{options.file}: {error.strerror or error}", 1) from error
    if options.html:
        write_page(web.page(sheet), options.html)
    elif options.json:
        _give_out(sheet.json(), options.json)
    elif options.csv:
        _give_out(sheet.csv(), options.csv)
    else:
        print(sheet.text())


def _give_out(text: str, path: str) -> None:
    if path == STDOUT:
        sys.stdout.write(text)
        return
    with replacing(path) as file:
        file.write(text)


def _open(path: str) -> Sheet:
    if not Path(path).exists():
        raise Refused(f"there is no {path}; `touti sheet {path} new NAME NAME NAME NAME` begins it")
    return scoresheet.load(path)


def _new(options: argparse.Namespace) -> Sheet:
    first, second, third, fourth = options.names
    sheet = Sheet((first, second, third, fourth))
    return sheet if options.dealer is None else Sheet(sheet.names, sheet.seat(options.dealer))


def _add(options: argparse.Namespace) -> Sheet:
    sheet = _open(options.file)
    return sheet.add(_entry(sheet, options))


def _edit(options: argparse.Namespace) -> Sheet:
    sheet = _open(options.file)
    return sheet.edit(options.number, _entry(sheet, options))


def _undo(options: argparse.Namespace) -> Sheet:
    return _open(options.file).undo()


def _entry(sheet: Sheet, options: argparse.Namespace) -> Entry:
    """The deal that the options tell."""
    if options.cancelled:
        if options.declarer is not None or options.contract is not None:
            raise Refused("--cancelled: nobody bid, so there is no declarer and no contract (§3.7)")
        return Entry()
    if options.declarer is None:
        raise Refused("--declarer is needed, or --cancelled if nobody bid (§3.5, §3.7)")
    return Entry(sheet.seat(options.declarer), counted(options))
