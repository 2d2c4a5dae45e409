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


def match_options(parser: argparse.ArgumentParser, *more: str) -> None:
    """Which deals are played, by which rules, and where the result goes, beside files of `more`."""
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
    writes(parser, "json", *more)


def writes(parser: argparse.ArgumentParser, *names: str, **rest: Any) -> None:
    """Say which options name a file to write; with `--force` it may be there already.

    Args:
        parser: The command's.
        names: Under which the options are read.
        rest: More for `--force`.
    """
    parser.set_defaults(writes=names)
    parser.add_argument(
        "--force", action="store_true", help="write over a file that is there already", **rest
    )


def refuse_existing(options: argparse.Namespace) -> None:
    """Before anything is done: see that nothing is written over unless it was asked for.

    Raises:
        Refused: A file to write is there already.
    """
    for name in getattr(options, "writes", ()):
        path = getattr(options, name)
        if path not in (None, STDOUT) and Path(path).is_file() and not options.force:
            raise Refused(
                f"{path} is there already; choose another name, or --force to write over it"
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


def number(valid: str) -> Callable[[str], int]:
    """Reads a whole number; others than the `valid` ones are left to the rules to refuse."""

    def read(text: str) -> int:
        try:
            return int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no number; {valid}") from None

    return read


contract = number("the tens from 70 to 230 are valid (§3.1)")


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Reads a whole number of at least `low`, and at most `high` if given."""
    valid = f"a whole number of at least {low}"
    if high is not None:
        valid = f"{valid} and at most {high}"

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


def no_stdout(what: str) -> Callable[[str], str]:
    """Reads the path of a file to write for `what`, such as a page, that goes to no terminal."""

    def read(path: str) -> str:
        if path == STDOUT:
            raise ValueError(f"{what} goes to a file, not to stdout")
        return writable(path)

    return read


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
