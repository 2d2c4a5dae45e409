"""The score of a deal and the sheet of a match as one page that works without a network.

The page knows no rule. What may be counted, what it comes to and who scores it looks up in a table
that is made here, from the functions that the command `touti score` calls and from its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

from ..core import deal, scoring
from ..core.cards import DECK_POINTS, SEATS
from ..counting import (
    CONTRACTS,
    DECLARERS,
    GHNA_PLAIN,
    GHNA_TRUMP,
    RULES,
    SIDES,
    WORDS,
    ScoreError,
    check_ghna,
    check_kinds,
    check_points,
    last_trick_points,
)
from ..scoresheet import CSV_HEADS, FORMAT, TARGET, VERSION, Sheet
from ..scoresheet import WORDS as SHEET_WORDS

MOST_PAIRS = 4


def page(sheet: Sheet | None = None) -> str:
    """The page as one HTML file; with a sheet, it opens with it."""
    files = resources.files(__package__)
    parts = {
        name: files.joinpath(f"score.{name}").read_text(encoding="utf-8")
        for name in ("html", "css", "js")
    }
    parts |= {"table": _embedded(table()), "sheet": _embedded(sheet and sheet.asdict())}
    marks = re.compile(r"<!-- (css|js|table|sheet) -->")
    return marks.sub(lambda mark: parts[mark[1]].strip(), parts["html"])


def _embedded(content: Any) -> str:
    """JSON that may stand inside a `script` element."""
    return json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")


def table() -> dict[str, Any]:
    """All that the page looks up, by name."""
    worths = list(range(0, int(scoring.ghna_cap(RULES, CONTRACTS[-1])) + 1, GHNA_PLAIN))
    return {
        "contracts": CONTRACTS,
        "caps": {contract: int(scoring.ghna_cap(RULES, contract)) for contract in CONTRACTS},
        "ghna": {contract: dict(_orders(contract, ())) for contract in CONTRACTS},
        "kinds": _kinds(),
        "credit": _credit(worths),
        "points": [
            [_reason(check_points, points, pairs) for points in range(DECK_POINTS + 1)]
            for pairs in range(MOST_PAIRS + 1)
        ],
        "rest": [DECK_POINTS - points for points in range(DECK_POINTS + 1)],
        "last": {side: last_trick_points(side) for side in SIDES},
        "totals": {side: _totals(side, worths) for side in SIDES},
        "scorers": {contract: _scorers(contract) for contract in CONTRACTS},
        "next": [int(deal.next_dealer(seat)) for seat in range(SEATS)],
        "opener": [int(deal.opener_of(seat)) for seat in range(SEATS)],
        "winning": [bool(scoring.wins_match(RULES, n)) for n in range(TARGET + CONTRACTS[-1])],
        "sides": SIDES,
        "trump": GHNA_TRUMP,
        "plain": GHNA_PLAIN,
        "words": WORDS | SHEET_WORDS,
        "csv": CSV_HEADS,
        "format": FORMAT,
        "version": VERSION,
    }


def _reason(check: Any, *arguments: Any) -> str | None:
    """Why `check` refuses the arguments, None if it does not."""
    try:
        check(*arguments)
    except ScoreError as error:
        return str(error)
    return None


def _orders(contract: int, declared: tuple[int, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every order of Ghnas that may be declared: their sum, and what may follow, or why not."""
    refused = {
        worth: _reason(check_ghna, contract, (*declared, worth))
        for worth in (GHNA_TRUMP, GHNA_PLAIN)
    }
    left = int(scoring.cap_left(RULES, contract, sum(declared)))
    yield " ".join(map(str, declared)), {"sum": sum(declared), "left": left, "refused": refused}
    for worth, reason in refused.items():
        if reason is None:
            yield from _orders(contract, (*declared, worth))


def _kinds() -> dict[str, str | None]:
    """Why there cannot be so many pairs in trumps and in other suits."""
    return {
        f"{trump} {plain}": _reason(check_kinds, [GHNA_TRUMP] * trump + [GHNA_PLAIN] * plain)
        for trump in range(3)
        for plain in range(2 * MOST_PAIRS)
    }


def _credit(worths: list[int]) -> dict[int, dict[str, int]]:
    """What whole pairs bring, by what is left of the cap."""
    return {
        left: {
            f"{trump} {plain}": int(scoring.whole_pairs(RULES, left, trump, plain))
            for trump in range(2)
            for plain in range(MOST_PAIRS)
        }
        for left in worths
    }


def _totals(side: str, worths: list[int]) -> dict[int, list[int]]:
    """The declaring team's total by its Ghna and its card points, the last trick won by `side`."""
    return {
        worth: [
            int(scoring.total_of(RULES, points, side == DECLARERS, worth))
            for points in range(DECK_POINTS + 1)
        ]
        for worth in worths
    }


def _scorers(contract: int) -> str:
    """Which side scores, 0 for the declarers and 1 for the defenders, by the total."""
    most = scoring.total_of(RULES, DECK_POINTS, True, scoring.ghna_cap(RULES, CONTRACTS[-1]))
    return "".join(str(int(scoring.scorer(contract, total, 0))) for total in range(most + 1))
