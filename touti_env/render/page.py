"""The table as HTML: the picture, and all of it in words for those who cannot see it."""

from __future__ import annotations

from ..core.cards import SEATS, SUITS, points_of, suit_of
from ..core.state import State
from ..notation import SUIT_NAMES, card_name, card_names, parse_card
from . import deck
from .table import svg
from .words import calls, signals, turn

STYLE = """\
.touti{font:15px/1.5 system-ui,sans-serif;color:#1f2a26;max-width:60rem}
.touti svg{max-width:100%;height:auto}
.touti table{border-collapse:collapse;margin:.6rem 0}
.touti caption{text-align:left;font-weight:600}
.touti th,.touti td{border:1px solid #cfc8b4;padding:.15rem .5rem;text-align:left}
.touti .card{font-weight:600;white-space:nowrap}
""" + "".join(f".touti .{name}{{color:{deck.COLOURS[i]}}}\n" for i, name in enumerate(SUIT_NAMES))


def html(state: State) -> str:
    """The table as an HTML section that needs nothing else: no script, no font, no network.

    Args:
        state: A full state, or a view, of which only what its viewer knows is written.
    """
    return "\n".join(
        (
            '<section class="touti">',
            f"<style>\n{STYLE}</style>",
            svg(state),
            f"<p>{turn(state)}</p>",
            _hands(state),
            _auction(state),
            _tricks(state),
            _ghnas(state),
            "</section>\n",
        )
    )


def chip(card: int) -> str:
    """A card's name in the colour of its suit."""
    return f'<span class="card {SUIT_NAMES[suit_of(card)]}">{card_name(card)}</span>'


def table(caption: str, heads: list[str], rows: list[list[str]]) -> str:
    """A table with a caption; nothing if it has no rows."""
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    body = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return f"<table><caption>{caption}</caption>\n<tr>{head}</tr>\n{body}\n</table>"


def _hands(state: State) -> str:
    rows = [
        [f"seat {seat}", " ".join(chip(parse_card(name)) for name in card_names(held)) or "none"]
        for seat in range(SEATS)
        if state.viewer in (-1, seat)
        for held in [int(state.hands[seat])]
    ]
    return table("Hands", ["", "cards"], rows)


def _auction(state: State) -> str:
    rows = [
        [f"seat {seat}", ", ".join(calls(state, seat)), ", ".join(signals(state, seat))]
        for seat in range(SEATS)
        if calls(state, seat) or signals(state, seat)
    ]
    return table("Auction", ["", "said", "signals"], rows)


def _tricks(state: State) -> str:
    rows = []
    for first in range(0, int(state.played), SEATS):
        number = first // SEATS
        cards = [int(card) for card in state.plays[first : min(first + SEATS, int(state.played))]]
        row = [str(number + 1), f"seat {state.leaders[number]}", " ".join(map(chip, cards)), "", ""]
        if len(cards) == SEATS:
            row[3] = f"seat {state.leaders[number + 1]}"
            row[4] = str(points_of(sum(1 << card for card in cards)))
        rows.append(row)
    return table("Tricks", ["trick", "led by", "cards in order", "taken by", "points"], rows)


def _ghnas(state: State) -> str:
    rows = [
        [SUIT_NAMES[suit], f"seat {state.ghna_by[suit]}", f"trick {state.ghna_trick[suit] + 1}"]
        for suit in range(SUITS)
        if state.ghna_by[suit] >= 0
    ]
    return table("Ghna", ["suit", "declared by", "after"], rows)
