"""The command `touti`, also `python -m touti_env`.

| command | what it does |
|---|---|
| `touti arena AGENT AGENT` | a duplicate match between two agents |
| `touti arena AGENT AGENT AGENT ...` | every pair of them on the same deals |
| `touti ladder AGENT AGENT ...` | every pair, ratings, cycles; can be interrupted |
| `touti solve FILE` | recorded deals: the mistakes, seen double dummy |
| `touti solve HAND HAND HAND HAND` | a deal: what each contract, trump or lead is worth |
| `touti dataset FILE` | many random deals with what they are worth |
| `touti play` | a match at the terminal, with and against agents |
| `touti record AGENT ... -o FILE` | agents play, every deal is kept as a line of JSON |
| `touti replay FILE` | shows the deals of such a file, verifies them, or makes a page (`-o`) |
| `touti score` | the score of a deal that was counted at a real table |
| `touti sheet FILE` | the score sheet of a match at a real table |

An agent is what `touti_env.agent.load` understands: `heuristic`, `pimc?worlds=40`, or a module of
one's own; the working directory is searched last. A mistake in the arguments ends with status 2,
what could not be done with status 1. A result is never written over a file that is there, unless
`--force` is given; the files that a command goes on with, such as a sheet, are its own.

A command is one module of this package: its `add` adds a parser, whose defaults are `run`, which
takes the options read, and `parser`, which says what is wrong with them.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from .. import __version__
from . import arena, dataset, ladder, play, record, replay, score, sheet, solve
from .options import Refused, refuse_existing

COMMANDS = (arena, ladder, solve, dataset, play, record, replay, score, sheet)


class Parser(argparse.ArgumentParser):
    """Of a command and its verbs: options by their full names.

    What an abbreviation means changes with the options that a later version adds.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__(allow_abbrev=False, **arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (by default those of the process) ask for.

    Returns:
        The exit status.

    Raises:
        SystemExit: The arguments are wrong (status 2), or only help or the version was asked for.
    """
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    parser = Parser(prog="touti", description="The card game Touti.")
    parser.add_argument("--version", action="version", version=f"touti-env {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        options.parser.error(_unknown(unknown[0], options.parser))
    try:
        refuse_existing(options)
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Refused as refused:
        sys.stdout.flush()  # in the order of events where both go to one place
        print(f"touti: {refused}", file=sys.stderr)
        return refused.status
    except EOFError:
        print("touti: the input has ended", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ntouti: interrupted", file=sys.stderr)
        return 130
    return 0


def _unknown(argument: str, parser: argparse.ArgumentParser) -> str:
    """What is wrong with an argument that a command does not know, and which may be meant."""
    flag = argument.partition("=")[0]
    valid = re.findall(r"(?<![\w-])--?\w[\w-]*", parser.format_usage())
    near = difflib.get_close_matches(flag.lower(), valid, 1)
    return f"{argument!r} is not understood" + (f"; did you mean {near[0]}?" if near else "")
