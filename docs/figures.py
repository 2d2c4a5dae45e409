"""Draw the figures of the pages in docs/.

python docs/figures.py            write docs/figures/*.svg
python docs/figures.py --check    write nothing; exit with status 1 if a figure is out of date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from touti_env import Game
from touti_env.render import deck, svg

FIGURES = Path(__file__).resolve().parent / "figures"


DEAL = (
    "COMPTE, AS, 70, COMPTE, 80, silent, 90, silent, AS, trump E, 7B, 3B, 3E, 6B, 1O, 2O, 4O, 5O, "
    "2E, 5E, 12E, 1E, 5C, 11C, 1C, 4C, 7O, 10O, 6O, 11O, 11E "
)


def table() -> str:
    """A deal in its sixth trick, every hand open."""
    game = Game(seed=3)
    for word in DEAL.split(","):
        game.push(word)
    return svg(game.state)


DRAWN = {"deck": deck.sheet, "compact": lambda: deck.sheet(compact=True), "table": table}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the figures, or compare them."""
    parser = argparse.ArgumentParser(description="Draw the figures of docs/.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args(arguments).check
    old = []
    for name, draw in DRAWN.items():
        path, picture = FIGURES / f"{name}.svg", draw()
        if not path.exists() or path.read_text(encoding="utf-8") != picture:
            old.append(path.name)
            if not check:
                path.write_text(picture, encoding="utf-8")
    if old:
        print(f"{'out of date' if check else 'written'}: {', '.join(old)}")
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
