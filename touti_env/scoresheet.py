"""The sheet on which a match at a real table is kept: names, deals, the running score.

>>> from touti_env import counting, scoresheet
>>> sheet = scoresheet.Sheet(("Amina", "Bilal", "Chama", "Driss"))
>>> sheet = sheet.add(scoresheet.Entry(0, counting.played(100, 65, "defenders", [40])))
>>> sheet.score, sheet.outlook()
((100, 0), 'Bilal deals next, Chama speaks first and leads.')

A `Sheet` never changes: `add`, `edit` and `undo` make another one. It is kept as JSON, all computed
numbers beside what was counted, and counted anew when it is read.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .core import deal, scoring
from .core.cards import DECK_POINTS, SEATS
from .counting import RULES, Result, ScoreError, conceded, played
from .files import replacing

FORMAT, VERSION = "touti-sheet", 1
TARGET = int(RULES.target)

WORDS = {
    "ended": "the match is over, {score} (§2.1)",
    "ends early": "deal {number} would end the match at {score}, and others follow it (§2.1)",
    "won": "{team} have won, {score}.",
    "next": "{dealer} deals next, {opener} speaks first and leads.",
    "no undo": "there is nothing to undo",
}
"""What the sheet says, with what is filled in: the page says it in the same words."""


@dataclass(frozen=True)
class Entry:
    """A deal on the sheet.

    Attributes:
        declarer: The seat of the declarer, None if nobody bid.
        result: The score of the deal, None if nobody bid.
    """

    declarer: int | None = None
    result: Result | None = None

    def asdict(self) -> dict[str, Any]:
        """The entry, of plain types that JSON can hold."""
        return {"declarer": self.declarer, "result": self.result and self.result.asdict()}


@dataclass(frozen=True)
class Row:
    """A deal on the sheet, and where it leaves the match.

    Attributes:
        dealer: Who dealt it.
        opener: Who spoke first and led.
        entry: What happened.
        scored: The team that scored the contract, None if nobody bid.
        score: The match score after it.
    """

    dealer: int
    opener: int
    entry: Entry
    scored: int | None
    score: tuple[int, int]

    def asdict(self) -> dict[str, Any]:
        """The row, of plain types that JSON can hold."""
        place = {"dealer": self.dealer, "opener": self.opener}
        return place | self.entry.asdict() | {"scored": self.scored, "score": list(self.score)}


@dataclass(frozen=True)
class Sheet:
    """A match as it is written down; nothing of it changes.

    Attributes:
        names: Who sits at seats 0 to 3.
        first_dealer: The seat that dealt first.
        entries: The deals, in order.
        changes: What `undo` takes back, the last one last: which deal was changed, and what stood
            there before, None if nothing did.
    """

    names: tuple[str, str, str, str]
    first_dealer: int = 0
    entries: tuple[Entry, ...] = ()
    changes: tuple[tuple[int, Entry | None], ...] = ()

    def __post_init__(self) -> None:
        """Refuse names that could not be told apart.

        Raises:
            ScoreError: The names are not four, or two are alike; or there is no such dealer.
        """
        if len({name.casefold() for name in self.names}) != SEATS or len(self.names) != SEATS:
            raise ScoreError(
                f"names {', '.join(self.names)}: four different ones are needed (§1.1)"
            )
        for name in self.names:
            if not name.strip() or not name.isprintable() or name != name.strip():
                raise ScoreError(f"{name!r} is no name: letters, without spaces round them, are")
        if type(self.first_dealer) is not int or self.first_dealer not in range(SEATS):
            raise ScoreError(f"dealer {self.first_dealer} is no seat; 0 to 3 are (§1.1)")

    def seat(self, who: str) -> int:
        """The seat of a player: a name, whatever its case, or the number itself.

        Raises:
            ScoreError: Nobody is called so.
        """
        folded = [name.casefold() for name in self.names]
        if who.casefold() in folded:
            return folded.index(who.casefold())
        if who in ("0", "1", "2", "3"):
            return int(who)
        raise ScoreError(f"{who!r} does not play; {', '.join(self.names)} do")

    def rows(self) -> list[Row]:
        """Every deal with its dealer, its opener and the running score (§2.2, §2.3)."""
        rows, dealer, score = [], self.first_dealer, (0, 0)
        for entry in self.entries:
            scored = None
            if entry.declarer is not None and entry.result is not None:
                declaring = entry.declarer & 1
                scored = declaring if entry.result.made else 1 - declaring
                gained = entry.result.contract
                score = (score[0] + gained * (scored == 0), score[1] + gained * (scored == 1))
            rows.append(Row(dealer, int(deal.opener_of(dealer)), entry, scored, score))
            dealer = int(deal.next_dealer(dealer))
        return rows

    @property
    def score(self) -> tuple[int, int]:
        """The match score of seats 0 and 2, and of seats 1 and 3."""
        rows = self.rows()
        return rows[-1].score if rows else (0, 0)

    @property
    def winner(self) -> int | None:
        """The team that has won the match, None while it is going on (§2.1)."""
        return _winner(self.score)

    @property
    def dealer(self) -> int:
        """Who deals next."""
        rows = self.rows()
        return int(deal.next_dealer(rows[-1].dealer)) if rows else self.first_dealer

    def add(self, entry: Entry) -> Sheet:
        """The sheet with one deal more.

        Raises:
            ScoreError: The match is over.
        """
        if self.winner is not None:
            raise ScoreError(WORDS["ended"].format(score=_colon(self.score)))
        change = (len(self.entries), None)
        return replace(self, entries=(*self.entries, entry), changes=(*self.changes, change))

    def edit(self, number: int, entry: Entry) -> Sheet:
        """The sheet with another entry for deal `number`, from 1; all after it is counted anew.

        Raises:
            ScoreError: There is no such deal, or the match would now have ended before the last.
        """
        if not 1 <= number <= len(self.entries):
            raise ScoreError(f"there is no deal {number}; the sheet has {len(self.entries)}")
        place = number - 1
        entries = (*self.entries[:place], entry, *self.entries[number:])
        changed = replace(
            self, entries=entries, changes=(*self.changes, (place, self.entries[place]))
        )
        _check_end(changed)
        return changed

    def undo(self) -> Sheet:
        """The sheet before the last `add` or `edit`.

        Raises:
            ScoreError: Nothing was changed.
        """
        if not self.changes:
            raise ScoreError(WORDS["no undo"])
        place, before = self.changes[-1]
        entries = self.entries[:place] + (() if before is None else (before,))
        if before is not None:
            entries += self.entries[place + 1 :]
        return replace(self, entries=entries, changes=self.changes[:-1])

    def asdict(self) -> dict[str, Any]:
        """The whole sheet, of plain types that JSON can hold."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "names": list(self.names),
            "first_dealer": self.first_dealer,
            "deals": [row.asdict() for row in self.rows()],
            "score": list(self.score),
            "winner": self.winner,
            "changes": [
                {"deal": place, "before": before and before.asdict()}
                for place, before in self.changes
            ],
        }

    def json(self) -> str:
        """`asdict` as text."""
        return json.dumps(self.asdict(), indent=1, ensure_ascii=False) + "\n"

    def csv(self) -> str:
        """A line for each deal, names in place of seats, for a spreadsheet."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CSV_HEADS + [self.team_name(team) for team in (0, 1)])
        for number, row in enumerate(self.rows(), 1):
            writer.writerow([number, *self._cells(row), *row.score])
        return file.getvalue()

    def _cells(self, row: Row) -> list[Any]:
        dealer, opener = self.names[row.dealer], self.names[row.opener]
        result = row.entry.result
        if row.entry.declarer is None or result is None or row.scored is None:
            return [dealer, opener, *[""] * (len(CSV_HEADS) - 3)]
        return [
            dealer,
            opener,
            self.names[row.entry.declarer],
            result.contract,
            result.points,
            result.last_trick,
            " ".join(map(str, result.ghna)),
            "yes" if result.conceded else "no",
            result.credited,
            result.total,
            "made" if result.made else "failed",
            self.team_name(row.scored),
        ]

    def team_name(self, team: int) -> str:
        """Its two players."""
        return f"{self.names[team]} + {self.names[team + 2]}"

    def text(self) -> str:
        """The sheet in plain text, at most 80 columns."""
        short = [_fit(name, 10) for name in self.names]
        teams = [f"{_fit(self.names[team], 7)}+{_fit(self.names[team + 2], 6)}" for team in (0, 1)]
        heads = ("deal", "dealer", "declarer", "contract", "total", "", *teams)
        lines = [_line(heads)]
        for number, row in enumerate(self.rows(), 1):
            middle: tuple[object, ...] = ("nobody bid", "", "", "")
            if row.entry.declarer is not None and (result := row.entry.result):
                verdict = "made" if result.made else "failed"
                middle = (short[row.entry.declarer], result.contract, result.total, verdict)
            lines.append(_line((number, short[row.dealer], *middle, *row.score)))
        return "\n".join([*lines, "", self.outlook()])

    def outlook(self) -> str:
        """Who has won, or who deals and speaks next."""
        if self.winner is not None:
            team = self.team_name(self.winner)
            return WORDS["won"].format(team=team, score=_colon(self.score))
        opener = self.names[int(deal.opener_of(self.dealer))]
        return WORDS["next"].format(dealer=self.names[self.dealer], opener=opener)


CSV_HEADS = [
    "deal",
    "dealer",
    "opener",
    "declarer",
    "contract",
    "card points",
    "last trick",
    "ghna",
    "conceded",
    "pairs credited",
    "total",
    "verdict",
    "scored by",
]


def _winner(score: tuple[int, int]) -> int | None:
    winners = [team for team in (0, 1) if scoring.wins_match(RULES, score[team])]
    return winners[0] if winners else None


def _colon(score: tuple[int, int]) -> str:
    return f"{score[0]}:{score[1]}"


def _line(cells: tuple[object, ...]) -> str:
    """A line of `Sheet.text`."""
    return "{:>4}  {:10} {:10} {:>8} {:>5} {:6}{:>15}{:>15}".format(*cells)


def _fit(name: str, size: int) -> str:
    return name if len(name) <= size else f"{name[: size - 1]}…"


def _check_end(sheet: Sheet) -> None:
    """Raise if deals follow the one that ends the match (§2.1)."""
    for number, row in enumerate(sheet.rows()[:-1], 1):
        if _winner(row.score) is not None:
            raise ScoreError(WORDS["ends early"].format(number=number, score=_colon(row.score)))


def loads(text: str) -> Sheet:
    """The sheet that JSON holds, counted anew.

    Raises:
        ScoreError: It is no sheet, of another version, or its numbers do not hold.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScoreError(f"not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ScoreError(f"not a score sheet: its format is not {FORMAT!r}")
    if content.get("version") != VERSION:
        raise ScoreError(f"version {content.get('version')!r}: {VERSION} can be read")
    try:
        sheet = _read(content)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ScoreError(f"a field is missing or of the wrong kind: {error}") from error
    _compare(content, sheet.asdict())
    return sheet


def _read(content: dict[str, Any]) -> Sheet:
    names = tuple(content["names"])
    entries = []
    for number, row in enumerate(content["deals"], 1):
        try:
            entries.append(_entry(row))
        except ScoreError as error:
            raise ScoreError(f"deal {number}: {error}") from error
    changes = tuple(
        (change["deal"], None if change["before"] is None else _entry(change["before"]))
        for change in content["changes"]
    )
    sheet = Sheet(names, content["first_dealer"], tuple(entries), changes)
    _check_end(sheet)
    while sheet.changes:
        sheet = _checked_undo(sheet)
    return Sheet(names, content["first_dealer"], tuple(entries), changes)


def _checked_undo(sheet: Sheet) -> Sheet:
    """One `undo`, if the change can have been made."""
    place, before = sheet.changes[-1]
    last = len(sheet.entries) - 1
    if type(place) is not int or not (place == last if before is None else 0 <= place <= last):
        raise ScoreError(f"changes: deal {place!r} cannot have been changed last")
    return sheet.undo()


def _entry(row: dict[str, Any]) -> Entry:
    """The entry of a row, from what was counted; what was computed is computed anew."""
    result, declarer = row["result"], row["declarer"]
    if result is None and declarer is None:
        return Entry()
    if type(declarer) is not int or declarer not in range(SEATS):
        raise ScoreError(f"declarer {declarer!r} is no seat; 0 to 3 are (§1.1)")
    contract, points, ghna = result["contract"], result["points"], result["ghna"]
    if result["conceded"] is True:
        theirs = DECK_POINTS - points
        return Entry(declarer, conceded(contract, theirs, ghna, result["pairs"]))
    return Entry(declarer, played(contract, points, result["last_trick"], ghna))


def _compare(content: dict[str, Any], counted: dict[str, Any]) -> None:
    """Raise where a stored number is not the one that is counted."""
    for number, (row, anew) in enumerate(zip(content["deals"], counted["deals"], strict=True), 1):
        if row != anew:
            wrong = [key for key in anew if row.get(key) != anew[key]]
            key = wrong[0] if wrong else "fields"
            raise ScoreError(f"deal {number}: {key} is {row.get(key)!r}, counted {anew.get(key)!r}")
    if content != counted:
        wrong = [key for key in counted if content.get(key) != counted[key]] or ["fields"]
        raise ScoreError(f"{wrong[0]}: what is counted is another")


def load(path: str | Path) -> Sheet:
    """The sheet that a file holds.

    Raises:
        ScoreError: It cannot be read or does not hold; the message names the file.
    """
    try:
        return loads(Path(path).read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise ScoreError(f"{path} cannot be read: {error.strerror}") from error
    except ScoreError as error:
        raise ScoreError(f"{path}: {error}") from error


def dump(sheet: Sheet, path: str | Path) -> None:
    """Write a sheet to a file, whole or not at all."""
    with replacing(path) as file:
        file.write(sheet.json())
