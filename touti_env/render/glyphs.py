"""Letters and digits as strokes of our own: a picture needs no font and is the same anywhere.

A glyph is 14 units high and some units wide. It is a list of strokes, each a start and relative
path commands. `line` sets a text, in capitals only.
"""

from __future__ import annotations

from functools import lru_cache

HEIGHT = 14.0
GAP = 3.4  # between glyphs
SPACE = 5.0

# The width of each glyph and its strokes, separated by `;`.
_GLYPHS = {
    "A": (9, "0 14l4.5-14 4.5 14;1.6 9.2h5.8"),
    "B": (8.4, "0 0v14h4.8a3.6 3.75 0 0 0 0-7.5h-4.8;0 0h4.2a3.2 3.25 0 0 1 0 6.5"),
    "C": (8.6, "8.6 3c-1-2-2.4-3-4.1-3-3 0-4.5 3-4.5 7s1.5 7 4.5 7c1.7 0 3.1-1 4.1-3"),
    "D": (9, "0 0v14h3.5c3.8 0 5.5-3 5.5-7s-1.7-7-5.5-7z"),
    "E": (7.4, "7.4 0h-7.4v14h7.4;0 6.8h6"),
    "F": (7.4, "7.4 0h-7.4v14;0 6.8h6"),
    "G": (9, "8.6 3c-1-2-2.4-3-4.1-3-3 0-4.5 3-4.5 7s1.5 7 4.5 7c2.7 0 4.4-1.6 4.4-4.5v-1.7h-3.8"),
    "H": (9, "0 0v14;9 0v14;0 6.8h9"),
    "I": (1, ".5 0v14"),
    "J": (6, "6 0v10c0 2.6-1.2 4-3 4s-3-1.3-3-3.4"),
    "K": (8.6, "0 0v14;8.2 0l-8.2 8.6;3 5.6l5.6 8.4"),
    "L": (7, "0 0v14h7"),
    "M": (11, "0 14v-14l5.5 9 5.5-9v14"),
    "N": (9, "0 14v-14l9 14v-14"),
    "O": (9.4, "4.7 0c-3.1 0-4.7 3-4.7 7s1.6 7 4.7 7 4.7-3 4.7-7-1.6-7-4.7-7z"),
    "P": (8.4, "0 14v-14h4.6a3.8 3.8 0 0 1 0 7.6h-4.6"),
    "Q": (9.6, "4.7 0c-3.1 0-4.7 3-4.7 7s1.6 7 4.7 7 4.7-3 4.7-7-1.6-7-4.7-7z;5.6 10.4l4 4.2"),
    "R": (8.6, "0 14v-14h4.6a3.8 3.8 0 0 1 0 7.6h-4.6;4 7.6l4.6 6.4"),
    "S": (
        8.8,
        "8.2 2.6c-.7-1.7-2-2.6-3.9-2.6-2.3 0-3.8 1.3-3.8 3.3 0 4.8 8.3 2.2 8.3 7"
        " 0 2.2-1.7 3.7-4.3 3.7-2.2 0-3.8-1-4.5-3",
    ),
    "T": (9, "0 0h9;4.5 0v14"),
    "U": (9, "0 0v9.5c0 3 1.7 4.5 4.5 4.5s4.5-1.5 4.5-4.5v-9.5"),
    "V": (9, "0 0l4.5 14 4.5-14"),
    "W": (13, "0 0l3.2 14 3.3-10.5 3.3 10.5 3.2-14"),
    "X": (8.6, "0 0l8.6 14;8.6 0l-8.6 14"),
    "Y": (9, "0 0l4.5 7 4.5-7;4.5 7v7"),
    "Z": (8.4, "0 0h8.4l-8.4 14h8.4"),
    "0": (8.6, "4.3 0c-2.9 0-4.3 2.8-4.3 7s1.4 7 4.3 7 4.3-2.8 4.3-7-1.4-7-4.3-7z"),
    "1": (6.4, ".6 2.9l3.2-2.9v14;.4 14h6"),
    "2": (8.4, ".4 3.6c.2-2.2 1.7-3.6 3.9-3.6 2.3 0 3.8 1.4 3.8 3.6 0 3.4-4.9 5.6-8.1 10.4h8.4"),
    "3": (
        8.4,
        ".4 2.6c.8-1.7 2.1-2.6 3.8-2.6 2.3 0 3.8 1.3 3.8 3.3s-1.5 3.3-4 3.3c2.8 0 4.4 1.4 4.4 3.6"
        "s-1.8 3.8-4.3 3.8c-2 0-3.4-.9-4.1-2.7",
    ),
    "4": (8.6, "6.2 14v-14l-6.2 9.8h8.6"),
    "5": (
        8.4,
        "7.6 0h-6.2l-.7 6.4c.9-.9 2-1.3 3.3-1.3 2.6 0 4.4 1.8 4.4 4.4 0 2.7-1.8 4.5-4.3 4.5"
        "-1.9 0-3.3-.9-4.1-2.6",
    ),
    "6": (
        8.6,
        "7.4 1.8c-.8-1.2-1.8-1.8-3-1.8-2.9 0-4.4 3-4.4 7.6 0 4.1 1.5 6.4 4.3 6.4 2.5 0 4.3-1.8"
        " 4.3-4.4 0-2.5-1.7-4.3-4.1-4.3-2.4 0-4.3 1.6-4.5 3.9",
    ),
    "7": (8.4, "0 0h8.4l-5 14"),
    "8": (
        8.6,
        "4.3 6.5c-2.2 0-3.6-1.2-3.6-3.2s1.4-3.3 3.6-3.3 3.6 1.3 3.6 3.3-1.4 3.2-3.6 3.2"
        "c-2.6 0-4.3 1.4-4.3 3.7s1.7 3.8 4.3 3.8 4.3-1.5 4.3-3.8-1.7-3.7-4.3-3.7",
    ),
    "9": (
        8.6,
        "1.2 12.2c.8 1.2 1.8 1.8 3 1.8 2.9 0 4.4-3 4.4-7.6 0-4.1-1.5-6.4-4.3-6.4-2.5 0-4.3 1.8"
        "-4.3 4.4 0 2.5 1.7 4.3 4.1 4.3 2.4 0 4.3-1.6 4.5-3.9",
    ),
    "+": (8, "4 3.6v8;0 7.6h8"),
    "-": (6, "0 7.6h6"),
    "/": (6, "0 14l6-14"),
    ":": (1, ".5 4.5v.1;.5 11v.1"),
    ".": (1, ".5 13.8v.1"),
    ",": (1.6, "1.2 13.4l-1 2.8"),
    "(": (3, "3-1c-4 4.5-4 11.5 0 16"),
    ")": (3, "0-1c4 4.5 4 11.5 0 16"),
}


@lru_cache(512)
def width(text: str, size: float) -> float:
    """How wide a text is whose capitals are `size` high."""
    advances = [SPACE + GAP if c == " " else _GLYPHS[c][0] + GAP for c in text.upper()]
    return max(sum(advances) - GAP, 0) * size / HEIGHT


@lru_cache(512)
def strokes(text: str) -> str:
    """The path data of a text whose top left corner is at 0 0, `HEIGHT` units high."""
    data, x = [], 0.0
    for letter in text.upper():
        if letter == " ":
            x += SPACE + GAP
            continue
        wide, drawn = _GLYPHS[letter]
        for stroke in drawn.split(";"):
            start_x, start_y, rest = _split_start(stroke)
            data.append(f"M{number(x + start_x)} {number(start_y)}{rest}")
        x += wide + GAP
    return "".join(data)


def _split_start(stroke: str) -> tuple[float, float, str]:
    """A stroke's start and the commands after it: "1.6 9.2h5.8" starts at 1.6, 9.2."""
    end = next(i for i, c in enumerate(stroke) if c.isalpha())
    start = stroke[:end].replace("-", " -").split()
    return float(start[0]), float(start[1]), stroke[end:]


def number(value: float) -> str:
    """A coordinate in as few characters as two decimals need."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-0.", "-.") or "0"


def line(
    text: str,
    x: float,
    y: float,
    size: float,
    colour: str,
    *,
    anchor: str = "start",
    weight: float = 1.7,
) -> str:
    """One line of text as an SVG path.

    Args:
        text: Of letters, digits and `+ - / : . , ( )`; drawn in capitals.
        x: Where it starts; its middle or its end, as `anchor` says.
        y: The top of the capitals.
        size: The height of the capitals.
        colour: Any SVG colour.
        anchor: `start`, `middle` or `end`.
        weight: How thick the strokes are where capitals are 14 high.
    """
    x -= {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width(text, size)
    place = f"translate({number(x)} {number(y)})scale({number(size / HEIGHT)})"
    return (
        f'<path transform="{place}" d="{strokes(text)}" fill="none" stroke="{colour}" '
        f'stroke-width="{number(weight)}" stroke-linecap="round" stroke-linejoin="round"/>'
    )
