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

import numpy as np

from .. import notation, render, solver
from ..agent import Agent
from ..core.cards import CARDS, SEATS
from ..core.state import STATE, Phase, State
from ..notation import SUIT_NAMES, card_name, card_names, parse_card
from ..records import DealRecord
from ..render import deck
from ..render.page import chip
from ..render.table import HEIGHT, WIDTH, parts
from ..render.words import turn
from ..view import resample, view

WORLDS = 16  # deals drawn that fit what a seat knows
DEAR = 1.0  # points that a choice must cost on average over them to be called dear
EVERYBODY = 4  # the view of all four hands, beside those of seats 0 to 3


@dataclass(frozen=True)
class Choice:
    """A legal action at a decision.

    Attributes:
        word: In notation.
        share: How probable the reviewer, or whoever chose, made it; None if nobody said.
        true: The declaring team's total less the contract, all cards known and everybody playing
            their best; None if not asked for.
        known: The same, on average over deals that fit what the seat knew.
        made: In how many of these the contract is made.
    """

    word: str
    share: float | None = None
    true: int | None = None
    known: float | None = None
    made: int | None = None


@dataclass(frozen=True)
class Frame:
    """A position, and what was done in it.

    Attributes:
        state: A state or a view.
        said: The move that led here, in words.
        actor: Who moves next; -1 at the end.
        word: The move, in notation.
        phase: What kind of move it is.
        choices: What could be done instead, if the page shows it.
        dear: Whether the choice is one to look at again.
    """

    state: State
    said: str
    actor: int = -1
    word: str = ""
    phase: int = Phase.OVER
    choices: Sequence[Choice] = ()
    dear: bool = False


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
        frames = _frames(record, seat, review, dd)
        deals.append(_data(frames, lines, seat))
        sections.append(_section(number, record, frames, seat))
    if not deals:
        raise ValueError("replay: there is no deal to show")
    who = "" if seat is None else f", as seat {seat} saw {'it' if len(deals) == 1 else 'them'}"
    title = f"Touti: {len(deals)} deal{'s' * (len(deals) > 1)}{who}"
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


# The frames of a deal.


def _frames(record: DealRecord, seat: int | None, review: Agent | None, dd: bool) -> list[Frame]:
    """The positions of a deal, as they are or as a seat sees them, and the choices made in them."""
    chance = np.random.default_rng(0)
    seen, done = _positions(record, seat)
    frames, said = [], ""
    for state, (actor, word, place, phase) in zip(seen, [*done, _END], strict=True):
        choices: list[Choice] = []
        if actor >= 0 and seat in (None, actor):
            choices = _choices(state, actor, _shares(record, place, state, actor, review, chance))
            if dd and state.trump >= 0:
                choices = _priced(state, actor, choices, seat is None, chance)
        dear = _is_dear(choices, word, actor, state)
        frames.append(Frame(state, said, actor, word, phase, choices, dear))
        said = f"seat {actor}: {word}"
    return frames


_Move = tuple[int, str, int, int]  # who, the word, which action of the record, the phase
_END: _Move = (-1, "", -1, Phase.OVER)


def _positions(record: DealRecord, seat: int | None) -> tuple[list[State], list[_Move]]:
    """Each position that differs from the one before it, and the moves between them.

    To a seat's view a decision that was hidden from it changes nothing, and so is left out.
    """
    seen: list[State] = []
    done: list[_Move] = []
    move = _END
    actions = [*record.actions, -1]
    for place, (state, action) in enumerate(zip(record.states(), actions, strict=True)):
        now = _kept(state) if seat is None else view(state, seat)
        if not seen or now.tobytes() != seen[-1].tobytes():
            if seen:
                done.append(move)
            seen.append(now)
        if action >= 0:
            phase = int(state.phase)
            move = (int(state.seat), notation.name(action, phase), place, phase)
    return seen, done


def _kept(state: State) -> State:
    """A copy, since a record's states are one that moves on."""
    copied = np.zeros(1, STATE)
    copied[0] = state
    return copied[0]


def _shares(
    record: DealRecord,
    place: int,
    state: State,
    actor: int,
    review: Agent | None,
    chance: np.random.Generator,
) -> dict[int, float] | None:
    """The probability of each action: the reviewer's, else those in the record, else None."""
    if review is not None:
        known = view(state, actor)
        if hasattr(review, "probs"):
            return {action: float(p) for action, p in enumerate(review.probs(known))}
        return {int(review.act(known, chance)): 1.0}
    chosen_by = record.probs[place] if record.probs else None
    return None if chosen_by is None else dict(chosen_by)


def _choices(state: State, actor: int, shares: dict[int, float] | None) -> list[Choice]:
    """The legal actions, the most probable first."""
    legal = notation.legal_actions(state)
    if shares is None:
        return [Choice(notation.name(action, state.phase)) for action in legal]
    total = sum(shares.get(action, 0.0) for action in legal) or 1.0
    choices = [
        Choice(notation.name(action, state.phase), shares.get(action, 0.0) / total)
        for action in legal
    ]
    return sorted(choices, key=lambda choice: -(choice.share or 0.0))


def _priced(
    state: State, actor: int, choices: list[Choice], whole: bool, chance: np.random.Generator
) -> list[Choice]:
    """The choices with what each comes to, over the contract or (negative) short of it."""
    true = solver.values(state) if whole else {}
    worlds = resample(view(state, actor), chance, WORLDS)
    totals = solver.totals(worlds)[0] - int(state.contract)
    priced = []
    for choice in choices:
        action = notation.parse(choice.word, state.phase)
        over = totals[:, action]
        priced.append(
            Choice(
                choice.word,
                choice.share,
                true[action] - int(state.contract) if whole else None,
                round(float(over.mean()), 1),
                int((over >= 0).sum()),
            )
        )
    return priced


def cost(choices: Sequence[Choice], word: str, declaring: bool) -> float:
    """What a choice costs its team on average, over the deals that fit what the seat knew."""
    values = {choice.word: choice.known for choice in choices if choice.known is not None}
    if word not in values:
        return 0.0
    if declaring:
        return max(values.values()) - values[word]
    return values[word] - min(values.values())


def _is_dear(choices: Sequence[Choice], word: str, actor: int, state: State) -> bool:
    """Whether a choice costs points, or, unpriced, is half as probable as another or less."""
    if any(choice.known is not None for choice in choices):
        return cost(choices, word, (actor ^ int(state.declarer)) & 1 == 0) >= DEAR
    shares = {choice.word: choice.share for choice in choices if choice.share is not None}
    return word in shares and 2 * shares[word] <= max(shares.values())


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
