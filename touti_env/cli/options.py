"""What the commands share: reading their options, giving out results, saying how far they are."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..arena import Progress
from ..core.deal import MAX_SEED
from ..core.rules import VARIANTS, as_rules

T = TypeVar("T")

STDOUT = "-"


class Refused(Exception):  # noqa: N818 - it says what the command does
    """A command's last words, for the user; it ends with `status`: 2 if its input was wrong."""

    def __init__(self, words: str, status: int = 2) -> None:
        super().__init__(words)
        self.status = status


def match_options(parser: argparse.ArgumentParser) -> None:
    """Which deals are played, by which rules, and where the result goes."""
    parser.add_argument("--deals", type=whole(2), default=1000, metavar="N", help="default: 1000")
    parser.add_argument(
        "--seed", type=whole(0, MAX_SEED), default=0, metavar="N", help="which deals; default: 0"
    )
    parser.add_argument(
        "--rules", type=reader(as_rules), default="standard", help=f"{', '.join(VARIANTS)}"
    )
    parser.add_argument(
        "--batch", type=whole(1), default=512, metavar="N", help="deals played at once"
    )
    parser.add_argument(
        "--json", type=reader(output), metavar="FILE", help="write the result as JSON; - for stdout"
    )


def give_out(result: Any, text: str, path: str | None) -> None:
    """Print `text`, and write `result` as JSON to `path` if there is one; `-` prints JSON alone."""
    content = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
    if path == STDOUT:
        sys.stdout.write(content)
        return
    print(text)
    if path:
        Path(path).write_text(content, encoding="utf-8")


def reader(parse: Callable[[str], T]) -> Callable[[str], T]:
    """`parse` for argparse: what it refuses, the user is told in its own words."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except (ImportError, OSError, TypeError, ValueError) as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Reads a whole number of at least `low`, and at most `high` if given."""
    valid = f"a whole number of at least {low}" + (f" and at most {high}" if high else "")

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"{text!r} is not {valid}")
        return number

    return read


def output(path: str) -> str:
    """The path of a file to write, or `-`.

    Raises:
        ValueError: There is no such folder, or it is a folder itself.
    """
    return path if path == STDOUT else writable(path)


def writable(path: str) -> str:
    """The path of a file to write.

    Raises:
        ValueError: There is no such folder, or it is a folder itself.
    """
    if Path(path).is_dir() or not Path(path).absolute().parent.is_dir():
        raise ValueError(f"{path!r} cannot be written: it is a folder, or its folder is missing")
    return path


def terminal_progress(label: str) -> Progress | None:
    """A line on the terminal that says how far it is, gone at the end; None if none looks on."""
    if not sys.stderr.isatty():
        return None
    begun = last = time.monotonic()

    def show(done: float, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done >= total:
            sys.stderr.write("\r\x1b[K")
        elif now - last >= 0.2:
            last = now
            spent = now - begun
            left = f", about {spent * (total - done) / done:.0f} s left" if done >= 1 else ""
            sys.stderr.write(
                f"\r\x1b[K{label}: {done:,.0f} of {total:,} deals, {spent:.0f} s{left}"
            )
        sys.stderr.flush()

    return show
