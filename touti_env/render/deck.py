"""The forty cards as SVG symbols, drawn by code: paths and circles of our own, no text, no raster.

A suit can be told by more than its colour: by the shape of its sign, by its letter, and by the
breaks in the frame of the card (the *pinta*: oros none, copas one, espadas two, bastos three).

Full cards are `WIDTH` by `HEIGHT`, compact ones `COMPACT_WIDTH` by `COMPACT_HEIGHT`; these can be
read at as many pixels.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import cos, pi, sin

from ..core.cards import CARDS, RANKS, SUITS, strength_of, suit_of
from ..notation import SUIT_LETTERS, SUIT_NAMES, card_name
from .glyphs import line, number

WIDTH, HEIGHT = 140, 220
COMPACT_WIDTH, COMPACT_HEIGHT = 28, 44

PAPER = "#fffdf5"
EDGE = "#a89f8a"
COLOURS = ("#a87400", "#c2185b", "#0d47a1", "#1b1b1b")
"""Ink by suit: apart on `PAPER` for every kind of colour vision, with a contrast of 3.9 or more."""


def symbols(full: Iterable[int] = range(CARDS), compact: Iterable[int] = range(CARDS)) -> str:
    """`<symbol>` elements for a `<defs>`: the suit signs, the back, and these cards.

    Their ids are `oros` ... `bastos`, `back`, a card's name (`1O`) and, compact, `c1O`.
    """
    parts = [*(_sign(suit) for suit in range(SUITS)), _back()]
    parts += [full_card(card) for card in full]
    parts += [compact_card(card) for card in compact]
    return "\n".join(parts)


def use(name: str, x: float, y: float, width: float, height: float) -> str:
    """A symbol in its place."""
    place = f'x="{number(x)}" y="{number(y)}"'
    return f'<use href="#{name}" {place} width="{number(width)}" height="{number(height)}"/>'


def picture(card: int, *, compact: bool = False) -> str:
    """One card as an SVG document that stands alone."""
    size = (COMPACT_WIDTH, COMPACT_HEIGHT) if compact else (WIDTH, HEIGHT)
    body = symbols([], [card]) if compact else symbols([card], [])
    name = f"c{card_name(card)}" if compact else card_name(card)
    return document(*size, [f"<defs>\n{body}\n</defs>", use(name, 0, 0, *size)], card_name(card))


def sheet(*, compact: bool = False) -> str:
    """The whole deck as an SVG document, a row for each suit, weakest first."""
    wide, high, gap = (COMPACT_WIDTH, COMPACT_HEIGHT, 6) if compact else (WIDTH, HEIGHT, 14)
    prefix = "c" if compact else ""
    every = range(CARDS)
    parts = [f"<defs>\n{symbols([], every) if compact else symbols(every, [])}\n</defs>"]
    for card in range(CARDS):
        x = gap + strength_of(card) * (wide + gap)
        y = gap + suit_of(card) * (high + gap)
        parts.append(use(f"{prefix}{card_name(card)}", x, y, wide, high))
    size = (gap + len(RANKS) * (wide + gap), gap + SUITS * (high + gap))
    return document(*size, parts, "The forty cards")


def document(width: float, height: float, parts: Iterable[str], title: str, text: str = "") -> str:
    """An SVG document with a title, and a description in words, for those who cannot see it."""
    size = f'width="{number(width)}" height="{number(height)}"'
    described = f"\n<desc>{text}</desc>" if text else ""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {number(width)} {number(height)}" role="img">',
            f"<title>{title}</title>{described}",
            *parts,
            "</svg>\n",
        )
    )


def full_card(card: int) -> str:
    """The symbol of a card, 140 by 220: index in two corners, frame, pips or figure."""
    suit, rank = suit_of(card), RANKS[strength_of(card)]
    colour = COLOURS[suit]
    corner = (
        line(str(rank), 14, 15, 24, colour, weight=2.4)
        + _placed(suit, 22, 56, 16)
        + line(SUIT_LETTERS[suit], 22, 71, 10.5, colour, anchor="middle", weight=2)
    )
    middle = _figure(rank, suit) if rank >= 10 else _pips(rank, suit)
    return (
        f'<symbol id="{card_name(card)}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"{_face(WIDTH, HEIGHT, 9, 2)}{_frame(suit, WIDTH, HEIGHT, 7, 2.2, 10)}"
        f'<g id="{card_name(card)}i">{corner}</g>'
        f'<use href="#{card_name(card)}i" transform="rotate(180 70 110)"/>'
        f"{middle}</symbol>"
    )


def compact_card(card: int) -> str:
    """The symbol of a card for 28 by 44 pixels: rank, sign, letter, frame."""
    suit, rank = suit_of(card), RANKS[strength_of(card)]
    colour = COLOURS[suit]
    return (
        f'<symbol id="c{card_name(card)}" viewBox="0 0 {COMPACT_WIDTH} {COMPACT_HEIGHT}">'
        f"{_face(COMPACT_WIDTH, COMPACT_HEIGHT, 3, 1)}"
        f"{_frame(suit, COMPACT_WIDTH, COMPACT_HEIGHT, 2.5, 1, 3.6)}"
        f"{line(str(rank), 5.2, 6, 12, colour, weight=2.3)}"
        f"{_placed(suit, 11.4, 30, 14.5)}"
        f"{line(SUIT_LETTERS[suit], 21.6, 31, 6.5, colour, anchor='middle', weight=2.1)}</symbol>"
    )


def _face(width: int, height: int, radius: float, weight: float) -> str:
    inset = weight / 2
    size = f'width="{width - weight:g}" height="{height - weight:g}"'
    return (
        f'<rect x="{inset:g}" y="{inset:g}" {size} rx="{radius:g}" '
        f'fill="{PAPER}" stroke="{EDGE}" stroke-width="{weight:g}"/>'
    )


def _frame(suit: int, width: int, height: int, inset: float, weight: float, gap: float) -> str:
    """The pinta: a frame whose top and bottom are broken as often as the suit says."""
    left, right = inset, width - inset
    data = f"M{left:g} {inset:g}V{height - inset:g}M{right:g} {inset:g}V{height - inset:g}"
    for y in (inset, height - inset):
        x, pieces = left, suit + 1
        piece = (right - left - suit * gap) / pieces
        for _ in range(pieces):
            data += f"M{number(x)} {number(y)}h{number(piece)}"
            x += piece + gap
    return (
        f'<path d="{data}" fill="none" stroke="{COLOURS[suit]}" '
        f'stroke-width="{weight:g}" stroke-linecap="square"/>'
    )


def _back() -> str:
    """A hidden card."""
    rows = "".join(f"M{x} {y}l4 4-4 4-4-4z" for y in range(6, 34, 8) for x in range(10, 22, 8))
    return (
        f'<symbol id="back" viewBox="0 0 {COMPACT_WIDTH} {COMPACT_HEIGHT}">'
        f"{_face(COMPACT_WIDTH, COMPACT_HEIGHT, 3, 1)}"
        '<rect x="3" y="3" width="22" height="38" rx="1.5" fill="#7d3b2e"/>'
        f'<path d="{rows}" fill="none" stroke="#e9c9a6" stroke-width=".8"/></symbol>'
    )


def _star(x: float, y: float, points: int, outer: float, inner: float) -> str:
    """Path data of a star."""
    corners = []
    for i in range(2 * points):
        radius, angle = (inner if i % 2 else outer), pi * i / points
        corners.append(f"{number(x + radius * sin(angle))} {number(y - radius * cos(angle))}")
    return f"M{'L'.join(corners)}z"


# Each suit's sign, within 40 by 52: what is inked, and what is left blank on it.
_SIGNS = (
    (
        '<circle cx="20" cy="26" r="19"/>',
        '<circle cx="20" cy="26" r="15.2" fill="none" stroke-width="1.8"/>'
        f'<path d="{_star(20, 26, 8, 12.2, 5.4)}" stroke="none"/>',
    ),
    (
        '<path d="M3.5 4h33a1 1 0 0 1 1 1v3.5a1 1 0 0 1-1 1h-1c-.3 10-4.5 18-11.5 20.5v6.5'
        "c5.5 1 9.5 4 9.5 9.5v2h-27v-2c0-5.5 4-8.5 9.5-9.5v-6.5c-7-2.5-11.2-10.5"
        '-11.5-20.5h-1a1 1 0 0 1-1-1v-3.5a1 1 0 0 1 1-1z"/>',
        '<path d="M7.5 12h25M10 44h20M15.5 33h9" fill="none" stroke-width="1.8"/>'
        '<path d="M20 15.5c3.4 3.2 3.4 6.8 0 10-3.4-3.2-3.4-6.8 0-10z" stroke="none"/>',
    ),
    (
        '<path d="M20 .6l5 7.4v23h8.5c1.7 0 3 1.2 3 2.7s-1.3 2.7-3 2.7h-10.5v6.8'
        'a4.5 4.5 0 1 1-6 0v-6.8h-10.5c-1.7 0-3-1.2-3-2.7s1.3-2.7 3-2.7h8.5v-23z"/>',
        '<path d="M20 6v23.5M17 39.5h6" fill="none" stroke-width="1.7"/>',
    ),
    (
        '<path d="M12.5 8l2.5-5 5-1.5 5 1.5 2.5 5-3 40-4.5 2-4.5-2zM14 19.5l-7-4.5-2 3.5 8.5 7.5z'
        'M26.5 27l6.5-4.5 2 3.5-9 7zM15 35.5l-5-3-1.5 3 6.5 5z" stroke-width="2" '
        'stroke-linejoin="round" transform="rotate(14 20 26)"/>',
        '<path d="M14.5 9.5c3 2.2 8 2.2 11 0M16.2 44.5c2.4 1.4 5.2 1.4 7.6 0M17.5 22v6M22.5 16'
        'v5M21 33v5" fill="none" stroke-width="1.6" stroke-linecap="round" '
        'transform="rotate(14 20 26)"/>',
    ),
)
SIGN_HEIGHT = 1.3  # of a sign, for its width


@cache
def _sign(suit: int) -> str:
    ink, blank = _SIGNS[suit]
    return (
        f'<symbol id="{SUIT_NAMES[suit]}" viewBox="0 0 40 52">'
        f'<g fill="{COLOURS[suit]}" stroke="{COLOURS[suit]}" stroke-width="0">{ink}</g>'
        f'<g fill="{PAPER}" stroke="{PAPER}">{blank}</g></symbol>'
    )


# Where the pips of a rank stand (their middles), and how wide they are.
_LAYOUTS = {
    1: (72, [(70, 110)]),
    2: (46, [(70, 64), (70, 156)]),
    3: (38, [(70, 51), (70, 110), (70, 169)]),
    4: (32, [(53, 68), (87, 68), (53, 152), (87, 152)]),
    5: (32, [(53, 58), (87, 58), (70, 110), (53, 162), (87, 162)]),
    6: (32, [(53, 56), (87, 56), (53, 110), (87, 110), (53, 164), (87, 164)]),
    7: (29, [(53, 46), (87, 46), (70, 76), (53, 106), (87, 106), (53, 162), (87, 162)]),
}


def _pips(rank: int, suit: int) -> str:
    size, places = _LAYOUTS[rank]
    return "".join(_placed(suit, x, y, size) for x, y in places)


def _placed(suit: int, x: float, y: float, width: float) -> str:
    """A suit's sign around a point."""
    height = width * SIGN_HEIGHT
    return use(SUIT_NAMES[suit], x - width / 2, y - height / 2, width, height)


# The three figures: what is inked, what is left blank on it, and lines in ink on the blank.
_FIGURES = {
    10: (
        '<path d="M45 74c-1-17 10-26 25-26 10 0 18 4 22 12 4-2 9-8 9-18 8 9 6 24-5 32z"/>'
        '<path d="M47 78c-4 12-4 24 1 32h44c5-8 5-20 1-32z"/>'
        '<path d="M36 190c0-40 12-66 34-66s34 26 34 66z"/>',
        '<path d="M54 78h32v16c0 11-7 18-16 18s-16-7-16-18z"/>'
        '<path d="M58 124l12 17 12-17c-4-2-8-2.4-12-2.4s-8 .4-12 2.4z"/>'
        '<path d="M39 166h62v5.5h-62zM67.5 146h5v44h-5z"/>',
        '<path d="M61.5 90h.1M78.5 90h.1" stroke-width="4"/>'
        '<path d="M65 103c3 2 7 2 10 0M70 92v6" stroke-width="2"/>',
    ),
    11: (
        '<path d="M42 192c-3-27 6-42 18-56-9 1-15 8-24 8-7 0-12-7-9-14l17-32c3-15 11-26 25-31'
        'l1-15 12 13c23 6 34 29 34 62 0 25-5 43-3 65z"/>',
        '<path d="M84 68c14 8 21 28 21 58 0 24-4 42-4 60h-7c0-20 5-36 5-58 0-26-4-44-15-60z"/>'
        '<circle cx="66" cy="93" r="4.2"/>'
        '<path d="M34.5 131.5c2-2 4.5-2 6 0-1.5 2-4.5 2-6 0z"/>'
        '<path d="M47 101.5l17 22 4-3-17-23z"/>',
        '<path d="M66 93.5h.1" stroke-width="4"/>',
    ),
    12: (
        '<path d="M44 76l-7-34 19 17 14-25 14 25 19-17-7 34z"/>'
        '<circle cx="37" cy="40" r="4.5"/><circle cx="70" cy="32" r="4.5"/>'
        '<circle cx="103" cy="40" r="4.5"/>'
        '<path d="M46 82c-3 30 4 52 24 60 20-8 27-30 24-60z"/>'
        '<path d="M28 190c0-32 10-52 26-58l16 16 16-16c16 6 26 26 26 58z"/>',
        '<path d="M44.5 68h51l-1.2 5h-48.6z"/>'
        '<path d="M53 82h34v14c0 4-2 7-5 9-8-4-16-4-24 0-3-2-5-5-5-9z"/>'
        '<path d="M64 113.5c4-1.5 8-1.5 12 0-3 3-9 3-12 0z"/>'
        '<path d="M54 139l-9 51h7l8.5-44zM86 139l9 51h-7l-8.5-44z"/>'
        f'<path d="{_star(70, 170, 4, 9, 3.5)}"/>',
        '<path d="M61.5 91h.1M78.5 91h.1" stroke-width="4"/><path d="M70 92v7" stroke-width="2"/>',
    ),
}


def _figure(rank: int, suit: int) -> str:
    """Sota, Cabal or Rey above the sign."""
    ink, blank, drawn = _FIGURES[rank]
    colour = COLOURS[suit]
    return (
        f'<g transform="translate(70 110)scale(.8)translate(-70 -113)"><g fill="{colour}">{ink}</g>'
        f'<g fill="{PAPER}">{blank}</g>'
        f'<g fill="none" stroke="{colour}" stroke-linecap="round">{drawn}</g></g>'
        f"{_placed(suit, 114, 33, 28)}{_placed(suit, 26, 187, 28)}"
    )
