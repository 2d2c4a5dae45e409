"""Numbers that go along straight lines while a run learns: the step size, the entropy bonus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .options import Args


@dataclass(frozen=True)
class Line:
    """From `start` at update `since` straight to `end` at update `until`."""

    since: int
    start: float
    until: int
    end: float

    def at(self, update: int) -> float:
        """The number for the update after `update` of them."""
        if self.until <= self.since:
            return self.start
        return self.start + (update - self.since) / (self.until - self.since) * (
            self.end - self.start
        )


Lines: TypeAlias = dict[str, Line]


def lines_of(args: Args) -> Lines:
    """The lines of a new run, by the option that each begins with."""
    return {name: Line(0, start, args.updates, end) for name, start, end in _ends(args)}


def go_on(
    saved: Mapping[str, Mapping[str, Any]], before: Mapping[str, Any], args: Args, update: int
) -> Lines:
    """The lines of a run that goes on, perhaps with other options.

    What is asked for anew holds from here. To another last update, or another end, a line turns
    where it stands, so that nothing jumps because a run is extended; to another start it goes over.

    Args:
        saved: The lines until now, as dicts.
        before: The options until now.
        args: The options from now on.
        update: How many updates were made.
    """
    lines = {}
    for name, start, end in _ends(args):
        line = Line(**saved[name])
        if start != before[name]:
            line = Line(update, start, args.updates, end)
        elif (line.until, line.end) != (args.updates, end):
            line = Line(update, line.at(update), args.updates, end)
        lines[name] = line
    return lines


def _ends(args: Args) -> tuple[tuple[str, float, float], ...]:
    return (
        ("learning_rate", args.learning_rate, args.learning_rate_end),
        ("ent_coef", args.ent_coef, args.ent_coef_end),
    )
