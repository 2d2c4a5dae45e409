"""The table as SVG: hands, auction, trick, tricks taken, Ghna and score of a view or a state.

The picture needs no font and no display, and the same state gives the same bytes. It is made of
parts that change independently, each of them whole lines, so that a replay need not repeat what
stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from ..core.cards import CARDS, HAND_SIZE, SEATS, SUITS
from ..core.scoring import ghna_cap
from ..core.state import Phase, State
from ..notation import SUIT_NAMES, card_name, card_names, legal_actions, parse_card
from ..view import cards_left
from . import deck
from .glyphs import line, number, width
from .words import calls, signals, text, trick, turn

WIDTH, HEIGHT = 960, 640

FELT, RIM, SHADE = "#1d5b4a", "#123d33", "#184f41"
LIGHT, FAINT, GOLD = "#fdf8e8", "#b9d3c6", "#ffd166"
TEAM_COLOURS = ("#8ecae6", "#f4a582")

# What the seat to act is about to do.
PROMPTS = {
    Phase.AUCTION: "to bid or to leave",
    Phase.SIGNAL: "may signal",
    Phase.TRUMP: "names trump",
    Phase.PLAY: "to play",
    Phase.GHNA: "may declare a ghna",
    Phase.ANSWER: "may concede",
}

_BIG, _SMALL, _TRICK = (70.0, 110.0), (48.0, 75.4), (64.0, 100.6)


class _Place(NamedTuple):
    """Where a seat's things lie: below, right, above or left on the picture."""

    slots: Sequence[tuple[float, float]]  # of the ten cards
    size: tuple[float, float]  # of each
    played: tuple[float, float]  # of the card in the trick
    plate: tuple[float, float]  # the middle of the name
    said: tuple[float, float]  # what was said: the start of its first row, or the middle
    centred: bool
    room: float  # how wide a row of it may be


def _columns(x: float) -> list[tuple[float, float]]:
    return [(x + 51 * (i % 2), 116 + 78.5 * (i // 2)) for i in range(HAND_SIZE)]


_PLACES = (
    _Place(
        [(206 + 53.2 * i, 521) for i in range(HAND_SIZE)],
        _BIG, (448, 318), (368, 488), (436, 476), False, 330,
    ),
    _Place(_columns(849), _SMALL, (556, 226), (744, 196), (744, 222), True, 190),
    _Place(
        [(226.5 + 51 * i, 12) for i in range(HAND_SIZE)],
        _SMALL, (448, 142), (368, 106), (436, 94), False, 330,
    ),
    _Place(_columns(12), _SMALL, (340, 226), (216, 196), (216, 222), True, 190),
)  # fmt: skip


def svg(state: State, below: int | None = None) -> str:
    """The table as an SVG document, 960 by 640, with the words of `text` as its description.

    Args:
        state: A full state, or a view: its viewer's hand lies open, the others face down.
        below: The seat at the bottom; by default the viewer, or seat 0 in a full state.
    """
    drawn = "\n".join(parts(state, below))
    shown = [card for card in range(CARDS) if f'#{card_name(card)}"' in drawn]
    small = [card for card in range(CARDS) if f'#c{card_name(card)}"' in drawn]
    symbols = deck.symbols(shown, small)
    body = [f"<defs>\n{symbols}\n</defs>", drawn]
    return deck.document(WIDTH, HEIGHT, body, "The table", escape(text(state)))


def parts(state: State, below: int | None = None) -> list[str]:
    """What `svg` draws, less its document and its symbols; each part is whole lines, or nothing."""
    if below is None:
        below = max(int(state.viewer), 0)
    places = [_PLACES[(seat - below) % SEATS] for seat in range(SEATS)]
    drawn = [_felt(), _score(state), _contract(state), _tricks(state), _ghnas(state)]
    for seat, place in enumerate(places):
        drawn += [_plate(state, seat, place), _said(state, seat, place), _hand(state, seat, place)]
    return [*drawn, _trick(state, places), _turn(state)]


def _felt() -> str:
    return (
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="18" fill="{RIM}"/>\n'
        f'<rect x="5" y="5" width="{WIDTH - 10}" height="{HEIGHT - 10}" rx="14" fill="{FELT}"/>\n'
        f'<ellipse cx="480" cy="281" rx="226" ry="160" fill="{SHADE}"/>'
    )


def _box(x: float, y: float, wide: float, high: float, colour: str, more: str = "") -> str:
    size = f'width="{number(wide)}" height="{number(high)}" rx="{number(min(6, wide / 5))}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {size} fill="{colour}"{more}/>'


def _dot(x: float, y: float, team: int) -> str:
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="6" fill="{TEAM_COLOURS[team]}"/>'


def _score(state: State) -> str:
    """The match score, top left."""
    rows = [line(f"match to {state.rules.target}", 22, 22, 10, FAINT)]
    for team in (0, 1):
        y = 44 + 24 * team
        rows.append(_dot(28, y + 6, team))
        rows.append(line(f"seats {team} + {team + 2}", 42, y, 12, LIGHT))
        rows.append(line(str(state.score[team]), 196, y, 12, LIGHT, anchor="end", weight=2.2))
    return "\n".join(rows)


def _contract(state: State) -> str:
    """The standing bid or the contract, and trump, top right."""
    if not state.contract:
        return line("no bid", 936, 22, 12, FAINT, anchor="end")
    rows = [
        line(str(state.contract), 936, 18, 24, GOLD, anchor="end", weight=2.2),
        line(f"seat {state.declarer}", 868, 25, 12, LIGHT, anchor="end"),
        _dot(868 - width(f"seat {state.declarer}", 12) - 14, 31, state.declarer & 1),
    ]
    if state.trump >= 0:
        rows.append(_box(904, 56, 32, 40, deck.PAPER))
        rows.append(deck.use(SUIT_NAMES[state.trump], 909.6, 61, 21, 27.3))
        rows.append(line(f"trump {SUIT_NAMES[state.trump]}", 892, 70, 12, LIGHT, anchor="end"))
    return "\n".join(rows)


def _tricks(state: State) -> str:
    """The tricks taken and by whom, and the card points, bottom left."""
    taken = int(state.tricks.sum()) if not state.conceded else int(state.played) // SEATS
    rows = [line("tricks taken by seat", 22, 540, 10, FAINT)]
    for place in range(HAND_SIZE):
        x, y = 22 + 17 * place, 559
        if place < taken:
            winner = int(state.leaders[place + 1])
            rows.append(_box(x, y, 15, 20, TEAM_COLOURS[winner & 1]))
            rows.append(line(str(winner), x + 7.5, y + 5, 10, RIM, anchor="middle", weight=2))
        else:
            rows.append(_box(x, y, 15, 20, RIM))
    rows.append(line("card points", 22, 598, 10, FAINT))
    for team in (0, 1):
        rows.append(_dot(126 + 46 * team, 603, team))
        rows.append(line(str(state.points[team]), 138 + 46 * team, 598, 10, LIGHT))
    return "\n".join(rows)


def _ghnas(state: State) -> str:
    """The Ghnas declared, bottom right."""
    if state.trump < 0:
        return ""
    cap = ghna_cap(state.rules, state.contract)
    rows = [line(f"ghna {state.ghna_points} of {cap}", 776, 540, 10, FAINT)]
    declared = [suit for suit in range(SUITS) if state.ghna_by[suit] >= 0]
    for row, suit in enumerate(declared):
        y = 558 + 18 * row
        rows.append(_box(776, y - 2, 14, 17, deck.PAPER))
        rows.append(deck.use(SUIT_NAMES[suit], 778, y - 0.5, 10, 13))
        after = f"seat {state.ghna_by[suit]}, trick {state.ghna_trick[suit] + 1}"
        rows.append(line(after, 798, y + 1, 10, LIGHT))
    return "\n".join(rows)


def _plate(state: State, seat: int, place: _Place) -> str:
    """A seat's name, lit on its turn; who dealt, who declares."""
    x, y = place.plate
    name = f"seat {seat}"
    to_act = state.phase != Phase.OVER and state.seat == seat
    rows = [
        _box(x - 44, y - 7, 88, 26, GOLD if to_act else RIM),
        _dot(x - 31, y + 6, seat & 1),
        line(name, x + 10, y, 12, RIM if to_act else LIGHT, anchor="middle", weight=1.9),
    ]
    if state.dealer == seat:
        rows.append(line("dealer", x - 52, y + 1.5, 9, FAINT, anchor="end"))
    return "\n".join(rows)


def _said(state: State, seat: int, place: _Place) -> str:
    """What a seat said: bids and leaving on solid cards, signals in dashed bubbles of their own."""
    x, y = place.said
    drawn = []
    for words, sent in ((calls(state, seat), False), (signals(state, seat), True)):
        for row in _rows(words, place.room):
            left = x - (_length(row) / 2 if place.centred else 0)
            for word in row:
                drawn += _bubble(word, left, y) if sent else _call(state, seat, word, left, y)
                left += width(word, 10) + 20
            y += 22
    return "\n".join(drawn)


def _length(row: Sequence[str]) -> float:
    return sum(width(word, 10) + 20 for word in row) - 6


def _rows(words: Sequence[str], room: float) -> list[list[str]]:
    """Words in as many rows as they need."""
    rows: list[list[str]] = []
    for word in words:
        if not rows or _length([*rows[-1], word]) > room:
            rows.append([])
        rows[-1].append(word)
    return rows


def _call(state: State, seat: int, word: str, x: float, y: float) -> list[str]:
    stands = state.declarer == seat and word == str(state.contract)
    wide = width(word, 10) + 14
    return [_box(x, y, wide, 18, GOLD if stands else LIGHT), line(word, x + 7, y + 4, 10, RIM)]


def _bubble(word: str, x: float, y: float) -> list[str]:
    wide = width(word, 10) + 14
    edge = f' stroke="{FAINT}" stroke-dasharray="3 2"'
    return [_box(x, y, wide, 18, "none", edge), line(word, x + 7, y + 4, 10, LIGHT)]


def _hand(state: State, seat: int, place: _Place) -> str:
    """A seat's cards where they were dealt: face down if hidden, pale if they may not be played."""
    if state.viewer not in (-1, seat):
        backs = place.slots[: cards_left(state, seat)]
        return "\n".join(deck.use("back", x, y, *place.size) for x, y in backs)
    held = int(state.hands[seat])
    playing = state.phase == Phase.PLAY and state.seat == seat
    legal = set(legal_actions(state)) if playing else set(range(CARDS))
    drawn = []
    for name, (x, y) in zip(card_names(int(state.dealt[seat])), place.slots, strict=True):
        card = parse_card(name)
        if held >> card & 1:
            symbol = name if place.size == _BIG else f"c{name}"
            drawn.append(deck.use(symbol, x, y, *place.size))
            if card not in legal:
                drawn.append(_box(x, y, *place.size, FELT, ' opacity=".45"'))
    return "\n".join(drawn)


def _trick(state: State, places: Sequence[_Place]) -> str:
    """The cards on the table, each before its seat; the one that is winning in a golden frame."""
    _, leader, cards = trick(state)
    drawn = []
    for place, card in enumerate(cards):
        x, y = places[(leader + place) % SEATS].played
        drawn.append(deck.use(card_name(card), x, y, *_TRICK))
        if card == state.top:
            edge = f' stroke="{GOLD}" stroke-width="4"'
            drawn.append(_box(x - 3, y - 3, _TRICK[0] + 6, _TRICK[1] + 6, "none", edge))
    return "\n".join(drawn)


def _turn(state: State) -> str:
    """What comes next, or what the deal came to."""
    if state.phase == Phase.OVER:
        outcome = turn(state)
        wide = width(outcome, 13) + 36
        return "\n".join(
            (
                _box(480 - wide / 2, 428, wide, 34, GOLD),
                line(outcome, 480, 438.5, 13, RIM, anchor="middle", weight=2),
            )
        )
    prompt = f"seat {state.seat} {PROMPTS[Phase(state.phase)]}"
    return line(prompt, 480, 444, 11, FAINT, anchor="middle")
