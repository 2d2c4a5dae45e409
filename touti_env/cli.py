"""The command `touti`, also `python -m touti_env`.

| command | what it does |
|---|---|
| `touti arena AGENT AGENT` | a duplicate match between two agents |
| `touti arena AGENT AGENT AGENT ...` | every pair of them on the same deals |

An agent is what `touti_env.agent.load` understands: `heuristic`, `pimc?worlds=40`, or a module of
one's own; the working directory is searched last. A mistake in the arguments ends with status 2.

A command is one function: it adds its parser, whose `run` default takes the options read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from . import __version__, agent, arena
from .core.deal import MAX_SEED
from .core.rules import VARIANTS, as_rules
from .results import CrossPlay, Match

T = TypeVar("T")

STDOUT = "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (by default those of the process) ask for.

    Returns:
        The exit status.

    Raises:
        SystemExit: The arguments are wrong (status 2), or only help or the version was asked for.
    """
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    parser = argparse.ArgumentParser(prog="touti", description="The card game Touti.")
    parser.add_argument("--version", action="version", version=f"touti-env {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_arena(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("\ntouti: interrupted", file=sys.stderr)
        return 130
    return 0


def add_arena(commands: Any) -> None:
    """`touti arena`: agents against one another on duplicate deals."""
    parser = commands.add_parser(
        "arena",
        help="agents against one another on duplicate deals",
        description="Play every deal at two tables with the seats exchanged. Two agents play a "
        "match; of three or more, every pair plays the same deals.",
    )
    parser.set_defaults(run=run_arena)
    a_spec = reader(agent.load)
    parser.add_argument("agent", metavar="AGENT", type=a_spec, help="for example heuristic")
    parser.add_argument("others", metavar="AGENT", type=a_spec, nargs="+", help="its opponents")
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


def run_arena(options: argparse.Namespace) -> None:
    """Play, and print a table, or JSON, or both."""
    agents = [options.agent, *options.others]
    rest = (options.deals, options.seed, options.rules, options.batch, terminal_progress("arena"))
    if len(agents) == 2:
        result: Match | CrossPlay = arena.duplicate(agents[0], agents[1], *rest)
    else:
        result = arena.cross_play(agents, *rest)
    text = json.dumps(result.asdict(), indent=2, ensure_ascii=False) + "\n"
    if options.json == STDOUT:
        sys.stdout.write(text)
        return
    print(result.table())
    if options.json:
        Path(options.json).write_text(text, encoding="utf-8")


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
    if path != STDOUT and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
        raise ValueError(f"{path!r} cannot be written: it is a folder, or its folder is missing")
    return path


def terminal_progress(label: str) -> arena.Progress | None:
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
