"""A replay in one file: deals that can be stepped through, reviewed, read aloud and printed.

Every picture, word and number is made here, from states or from one seat's views; the page only
shows them. What repeats from frame to frame is written once: a frame is a list of parts, a part a
list of lines.

With `seat`, the page is a function of that seat's views: what was hidden from it is not in the
file, neither as a card, nor as a decision that it did not see, nor as a value that depends on them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

from .. import notation, render
from ..agent import Agent
from ..core.cards import CARDS, SEATS
from ..core.state import Phase, State
from ..notation import SUIT_NAMES, card_name, card_names, count_of, parse_card
from ..records import DealRecord
from ..render import deck
from ..render.page import chip
from ..render.table import HEIGHT, WIDTH, parts
from ..render.words import turn
from ..view import view
from .frames import WORLDS, Frame, costs, frames_of

EVERYBODY = 4  # the view of all four hands, beside those of seats 0 to 3


@dataclass
class Lines:
    """Lines and parts written once and named by their place."""

    lines: dict[str, int] = field(default_factory=dict)
    parts: dict[tuple[int, ...], int] = field(default_factory=dict)

    def text(self, text: str) -> list[int]:
        """The places of the lines of a text."""
        return [self.lines.setdefault(line, len(self.lines)) for line in text.split("\n")]

    def part(self, text: str) -> int:
        """The place of a part."""
        return self.parts.setdefault(tuple(self.text(text)), len(self.parts))


def page(
    records: Iterable[DealRecord],
    seat: int | None = None,
    review: Agent | None = None,
    dd: bool = False,
) -> str:
    """An HTML document that replays deals, with no script or picture from elsewhere.

    Args:
        records: The deals.
        seat: Whose views alone are written, 0 to 3; None for all hands.
        review: An agent whose probabilities stand beside the choices made, instead of those in the
            records. Without `probs` it is asked for its one choice.
        dd: Whether to price the choices of the play by the double-dummy solver: with all cards
            known (never with `seat`), and over deals that fit what the seat knew.

    Raises:
        ValueError: There is no deal, or no such seat.
    """
    if seat is not None and (isinstance(seat, bool) or seat not in range(SEATS)):
        raise ValueError(f"seat is {seat!r}; 0 to {SEATS - 1}, or None for all, is valid")
    lines, deals, sections = Lines(), [], []
    for number, record in enumerate(records, 1):
        frames = frames_of(record, seat, review, dd)
        deals.append(_data(frames, lines, seat))
        sections.append(_section(number, record, frames, seat))
    if not deals:
        raise ValueError("replay: there is no deal to show")
    who = "" if seat is None else f", as seat {seat} saw {'it' if len(deals) == 1 else 'them'}"
    title = f"Touti: {count_of(len(deals), 'deal')}{who}"
    data = {
        "lines": list(lines.lines),
        "parts": list(lines.parts),
        "deals": deals,
        "dd": dd,
        "worlds": WORLDS,
        "by": _whose_shares(review),
    }
    kit = files(__package__)
    values = {
        "TITLE": escape(title),
        "STYLE": kit.joinpath("replay.css").read_text(encoding="utf-8") + _inks(),
        "SYMBOLS": _symbols("\n".join(lines.lines)),
        "WIDTH": str(WIDTH),
        "HEIGHT": str(HEIGHT),
        "VIEWS": _view_buttons(seat),
        "DEALS": "\n".join(sections),
        "DATA": json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"),
        "SCRIPT": kit.joinpath("replay.js").read_text(encoding="utf-8"),
    }
    frame = kit.joinpath("replay.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], frame)


def _whose_shares(review: Agent | None) -> str:
    return "as it was chosen" if review is None else f"as {review.name} would"


def _inks() -> str:
    return "".join(f".{name}{{color:{deck.COLOURS[i]}}}\n" for i, name in enumerate(SUIT_NAMES))


def _symbols(lines: str) -> str:
    """The symbols of the cards that lie open in some picture, and no others."""
    used = set(re.findall(r'href="#(\w+)"', lines))
    full = [card for card in range(CARDS) if card_name(card) in used]
    compact = [card for card in range(CARDS) if f"c{card_name(card)}" in used]
    return deck.symbols(full, compact)


def _view_buttons(seat: int | None) -> str:
    if seat is not None:
        return f'<span class="views">seat {seat}’s view</span>'
    names = [*(f"seat {other}" for other in range(SEATS)), "all hands"]
    buttons = "".join(
        f'<button data-view="{number}" aria-pressed="false" title="key {number}">{name}</button>'
        for number, name in enumerate(names)
    )
    return f'<span class="views" role="group" aria-label="whose view">{buttons}</span>'


# What the script is given.


def _data(frames: Sequence[Frame], lines: Lines, seat: int | None) -> dict[str, Any]:
    """A deal as the script reads it: by view, the parts of each picture and the lines in words."""
    whose = [*range(SEATS), EVERYBODY] if seat is None else [seat]
    below = seat or 0
    return {
        "views": whose,
        "frames": [
            {
                "svg": [list(map(lines.part, parts(s, below))) for s in _views(frame, whose)],
                "text": [lines.text(render.text(s)) for s in _views(frame, whose)],
                "said": frame.said,
                "turn": turn(frame.state),
                "word": frame.word,
                "dear": frame.dear,
                "choices": [[c.word, c.share, c.true, c.known, c.made] for c in frame.choices],
            }
            for frame in frames
        ],
        "stops": _stops(frames),
    }


def _views(frame: Frame, whose: Sequence[int]) -> list[State]:
    if frame.state.viewer >= 0:
        return [frame.state]
    return [frame.state if who == EVERYBODY else view(frame.state, who) for who in whose]


def _stops(frames: Sequence[Frame]) -> list[int]:
    """Where the auction, each trick and the end begin."""
    stops, last = [], None
    for number, frame in enumerate(frames):
        state = frame.state
        here = (state.phase == Phase.OVER, state.trump >= 0, state.played // SEATS)
        if here != last:
            stops.append(number)
        last = here
    return stops


# What can be read without the script, and printed.


def _section(number: int, record: DealRecord, frames: Sequence[Frame], seat: int | None) -> str:
    """A deal in words: hands, auction, tricks, result; each move is a button that jumps to it."""
    end = frames[-1].state
    players = ""
    if record.agents is not None:
        named = ", ".join(f"seat {s} {name}" for s, name in enumerate(record.agents))
        players = f'<p class="players">{escape(named)}</p>'
    return "\n".join(
        (
            f'<section class="deal" id="deal{number}" data-deal="{number - 1}">',
            f"<h2>Deal {number}: {_heading(end)}</h2>",
            f'<p class="result">{turn(end)}</p>',
            players,
            _hands(frames[0].state),
            _auction(frames),
            _tricks(frames),
            _prices(frames, seat),
            "</section>",
        )
    )


def _heading(end: State) -> str:
    if not end.contract:
        return "no contract"
    trump = f", trump {SUIT_NAMES[end.trump]}" if end.trump >= 0 else ""
    return f"contract {end.contract} by seat {end.declarer}{trump}"


def _table(name: str, caption: str, heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    body = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<table class="{name}"><caption>{caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    )


def _hands(start: State) -> str:
    rows = [
        (f"seat {seat}", " ".join(chip(parse_card(name)) for name in card_names(dealt)))
        for seat in range(SEATS)
        if (dealt := int(start.dealt[seat]))
    ]
    score = f"score before the deal {start.score[0]}:{start.score[1]}, dealer seat {start.dealer}"
    return _table("hands", f"Hands <small>{score}</small>", ("seat", "cards dealt"), rows)


def _move(place: int, frame: Frame, kind: str = "") -> str:
    """The button that jumps to where a move was chosen."""
    is_card = frame.phase == Phase.PLAY and frame.word in notation.CARD_NAMES
    shown = chip(parse_card(frame.word)) if is_card else escape(frame.word)
    dear = " dear" if frame.dear else ""
    return f'<button class="move{dear}{kind}" data-ply="{place}">{shown}</button>'


def _auction(frames: Sequence[Frame]) -> str:
    """Who said what, a column a seat and a row a round; signals beside what their seat said."""
    opener = (int(frames[0].state.dealer) + 1) % SEATS
    rows: list[list[str]] = []
    last = SEATS
    for place, frame in enumerate(frames):
        column = (frame.actor - opener) % SEATS
        if frame.phase == Phase.AUCTION:
            if column <= last:
                rows.append([""] * SEATS)
            last = column
            rows[-1][column] += _move(place, frame)
        elif frame.phase == Phase.SIGNAL:
            rows[-1][column] += _move(place, frame, " signal")
        elif frame.phase == Phase.TRUMP:
            rows[-1][column] += _move(place, frame, " trump")
    heads = ["round", *(f"seat {(opener + column) % SEATS}" for column in range(SEATS))]
    numbered = [(str(number), *row) for number, row in enumerate(rows, 1)]
    return _table("auction", "Auction <small>signals dashed</small>", heads, numbered)


def _tricks(frames: Sequence[Frame]) -> str:
    """A row a trick: who played what, who took it, what else was said."""
    end = frames[-1].state
    rows: list[list[str]] = []
    for place, frame in enumerate(frames):
        state, number = frame.state, int(frame.state.played) // SEATS
        if frame.phase == Phase.PLAY and frame.word in notation.CARD_NAMES:
            if state.played % SEATS == 0:
                rows.append([str(number + 1), *[""] * SEATS, "", "", ""])
            led = '<abbr title="led">▸</abbr>' if state.played % SEATS == 0 else ""
            rows[number][1 + frame.actor] = led + _move(place, frame)
            if state.played % SEATS == SEATS - 1:
                after = frames[place + 1].state
                rows[number][5] = f"seat {end.leaders[number + 1]}"
                rows[number][6] = str(int(after.points.sum()) - int(state.points.sum()))
        elif frame.phase in (Phase.PLAY, Phase.GHNA, Phase.ANSWER):
            if not rows:
                rows.append(["1", *[""] * SEATS, "", "", ""])
            rows[-1][7] += f"seat {frame.actor} {_move(place, frame)} "
    if not rows:
        return ""
    heads = ["trick", *(f"seat {seat}" for seat in range(SEATS)), "taken by", "points", "said"]
    return _table("tricks", "Tricks <small>▸ led</small>", heads, rows)


def _prices(frames: Sequence[Frame], seat: int | None) -> str:
    """What each seat's choices have cost altogether; nothing where they have no price."""
    if all(choice.known is None for frame in frames for choice in frame.choices):
        return ""
    whose = range(SEATS) if seat is None else [seat]
    words = f"on average over what the seat could know: {_by_seat(costs(frames), whose)}"
    if seat is None:
        words += f"; with all cards known: {_by_seat(costs(frames, true=True), whose)}"
    return f'<p class="prices">Points that the choices of the play cost their teams, {words}.</p>'


def _by_seat(points: Sequence[float], whose: Iterable[int]) -> str:
    return ", ".join(f"seat {seat} {points[seat]:g}" for seat in whose)
