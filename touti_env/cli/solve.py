"""`touti solve`: what the double-dummy solver says of recorded deals or of four hands."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from .. import analysis, notation, solver
from ..core import actions, engine
from ..core.cards import SEATS
from ..core.rules import VARIANTS, as_rules
from ..records import RecordError
from . import deals
from .options import contract, give_out, output, reader, whole, writes


def add(commands: Any) -> None:
    """`touti solve`: what the double-dummy solver says of recorded deals or of four hands."""
    parser = commands.add_parser(
        "solve",
        help="what deals, cards and trumps are worth double dummy",
        description="With all cards seen and best play by all. Of a file of records: the mistakes "
        "of each deal, and the values of all cards where an unfinished one stops. Of four hands "
        '("1O 3O 12O ..."): the highest contract that is made, by declarer and trump; with '
        "--declarer and --contract the value of each trump, with --trump too that of each lead.",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("deal", nargs="+", metavar="FILE|HAND", help="one file, or four hands")
    of_file = parser.add_argument_group("of a file")
    of_file.add_argument(
        "--deal", dest="only", type=whole(1), metavar="N", help="the file's Nth deal"
    )
    of_file.add_argument(
        "--after", type=whole(0), metavar="N", help="the position after N actions of the deal"
    )
    of_hands = parser.add_argument_group("of four hands")
    seat, suits = whole(0, SEATS - 1), notation.SUIT_LETTERS
    of_hands.add_argument(
        "--opener", type=seat, metavar="N", help="who leads first, 0 to 3; default: 0"
    )
    of_hands.add_argument("--declarer", type=seat, metavar="N", help="seat 0 to 3")
    of_hands.add_argument("--contract", type=contract, metavar="N", help="the tens from 70 to 230")
    of_hands.add_argument("--trump", type=str.upper, choices=suits)
    of_hands.add_argument(
        "--rules", type=reader(as_rules), help=f"{', '.join(VARIANTS)}; default: standard"
    )
    parser.add_argument(
        "--json", type=reader(output), metavar="FILE", help="write the result as JSON; - for stdout"
    )
    writes(parser, "json")


def run(options: argparse.Namespace) -> None:
    """Solve, and print text, or JSON, or both."""
    try:
        (_of_file if len(options.deal) == 1 else _of_hands)(options)
    except ValueError as error:
        options.parser.error(str(error))


def _of_file(options: argparse.Namespace) -> None:
    """Review the deals of a file, or one; a line that does not hold hides no other."""
    _refuse(options, "four hands", "opener", "declarer", "contract", "trump", "rules")
    [path] = options.deal
    content, texts, wrong = [], [], []
    for number, found in enumerate(deals.lines(path), 1):
        if number != (options.only or number):
            continue
        if isinstance(found, RecordError):
            wrong.append(found)
            continue
        if options.after is not None:
            found = dataclasses.replace(found, actions=found.actions[: options.after])
        review = analysis.review(found)
        content.append({"deal": number, **review.asdict()})
        texts.append(f"deal {number}: {review.table()}")
    if not content and not wrong:
        raise ValueError(f"{path}: there is no deal {options.only}")
    if content:
        give_out({"deals": content}, "\n\n".join(texts), options.json)
    deals.refuse(len(content) or int(options.only is not None), wrong)


def _of_hands(options: argparse.Namespace) -> None:
    """Par of four hands, or the values of trumps or leads."""
    _refuse(options, "a file of records", "only", "after")
    opener, rules = options.opener or 0, options.rules or as_rules("standard")
    declarer, contract = options.declarer, options.contract
    if declarer is None and contract is None and options.trump is None:
        par = solver.par(options.deal, opener, rules)
        text = f"seat {opener} leads\n{analysis.par_table(par)}"
        give_out(analysis.par_asdict(par), text, options.json)
        return
    if declarer is None or contract is None:
        raise ValueError("--declarer and --contract are needed together, --trump needs both")
    state = analysis.deal_state(options.deal, opener, rules, declarer, contract)
    if options.trump:
        engine.apply(state, actions.TRUMP + notation.SUIT_LETTERS.index(options.trump))
    values = analysis.values(state)
    give_out(values.asdict(), values.table(), options.json)


def _refuse(options: argparse.Namespace, what: str, *names: str) -> None:
    """Raise if one of the options was given that only make sense for something else."""
    for name in names:
        if getattr(options, name) is not None:
            option = "deal" if name == "only" else name
            raise ValueError(f"--{option} goes with {what}")
