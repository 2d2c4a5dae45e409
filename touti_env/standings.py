"""Where the agents of a ladder stand: ratings, points a deal, cycles, contracts; text and picture.

Ratings put the agents on one line. Where they do not fit on one, since A beats B, B beats C and C
beats A, the line is not the truth, and the cycles are listed with the margins of their links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from .ratings import Rating, rate
from .results import CONTRACTS, CrossPlay, Tally, shares, short

LINES_OF_CYCLES = 12


@dataclass(frozen=True)
class Cycle:
    """Three agents of which each leads the next, and the last leads the first.

    Attributes:
        agents: Their places in the ladder, from 0, the best rated first.
        margins: Points a deal by which each leads the next, with its 95% interval.
    """

    agents: tuple[int, int, int]
    margins: tuple[tuple[float, float, float], ...]

    @property
    def clear(self) -> bool:
        """Whether no interval of a margin reaches down to 0."""
        return all(low > 0 for _, low, _ in self.margins)


@dataclass(frozen=True)
class Standings:
    """A finished ladder.

    Attributes:
        specs: The lines of text that name the agents, the best rated first.
        anchor: The place, from 0, of the agent whose rating is 0.
        ratings: In the same order.
        cross: Every pair, in the same order.
    """

    specs: tuple[str, ...]
    anchor: int
    ratings: tuple[Rating, ...]
    cross: CrossPlay

    @property
    def cycles(self) -> list[Cycle]:
        """Every three agents that do not fit on a line, those least due to chance first.

        Where there is a longer cycle, and no exact tie, there is one of three.
        """
        places = range(len(self.specs))
        leads = [[self.cross.pair(i, j)[0] for j in places] for i in places]
        found = []
        for a, b, c in combinations(places, 3):
            for trio in ((a, b, c), (a, c, b)):
                links = list(zip(trio, (*trio[1:], trio[0]), strict=True))
                if all(leads[i][j] > 0 for i, j in links):
                    matches = [self.cross.facing(i, j) for i, j in links]
                    margins = tuple((match.mean, *match.interval) for match in matches)
                    found.append(Cycle(trio, margins))
        return sorted(found, key=lambda cycle: -min(low for _, low, _ in cycle.margins))

    def tally(self, place: int) -> Tally:
        """All that the agent of a place did in its matches."""
        others = (other for other in range(len(self.specs)) if other != place)
        parts = [self.cross.match(place, other).agents[other < place] for other in others]
        return reduce(add, parts)

    def asdict(self) -> dict[str, Any]:
        """Every number by name, of plain types that JSON can hold."""
        ladder = []
        for place, (spec, rating) in enumerate(zip(self.specs, self.ratings, strict=True)):
            mean, error = self.cross.mean(place)
            ladder.append(
                {
                    "agent": spec,
                    "rating": rating.value,
                    "rating_interval_95": [rating.low, rating.high],
                    "points_per_deal": mean,
                    "standard_error": error,
                    **self.tally(place).asdict(),
                }
            )
        return {
            "anchor": self.specs[self.anchor],
            "ladder": ladder,
            "cycles": [
                {
                    "agents": [self.specs[place] for place in cycle.agents],
                    "margins": [mean for mean, _, _ in cycle.margins],
                    "intervals_95": [[low, high] for _, low, high in cycle.margins],
                }
                for cycle in self.cycles
            ],
            "cross_play": self.cross.asdict(),
        }

    def table(self) -> str:
        """The ladder as text, at most 100 columns wide."""
        parts = [self._rating_lines(), [self.cross.table()], self._cycle_lines()]
        return "\n\n".join("\n".join(part) for part in [*parts, self._contract_lines()])

    def _rating_lines(self) -> list[str]:
        lines = [
            "Ratings after Bradley and Terry from deals won, and 95% intervals over deals; "
            "100 more wins 64%",
            "",
            f"{'':<20}{'rating':>8}{'from':>8}{'to':>8}   agent",
        ]
        for place, (spec, rating) in enumerate(zip(self.specs, self.ratings, strict=True)):
            numbers = f"{rating.value:>+8.0f}{rating.low:>+8.0f}{rating.high:>+8.0f}"
            if place == self.anchor:
                numbers = f"{0:>8}{'':>16}"
            lines.append(f"{self._label(place):<20}{numbers}   {short(spec, 50)}")
        return lines

    def _cycle_lines(self) -> list[str]:
        cycles = self.cycles
        if not cycles:
            return ["No cycles: no three agents of which each leads the next in points a deal"]
        clear = sum(cycle.clear for cycle in cycles)
        lines = [
            f"Cycles, which no rating can show: {len(cycles)}, of which {clear} with every "
            "interval clear of 0",
            "Points a deal by which each leads the next, and the last the first",
            "",
        ]
        for cycle in cycles[:LINES_OF_CYCLES]:
            places = " > ".join(f"{place + 1}" for place in (*cycle.agents, cycle.agents[0]))
            margins = "   ".join(
                f"{mean:+.1f} ({low:+.1f} to {high:+.1f})" for mean, low, high in cycle.margins
            )
            lines.append(f"{places:<20}{margins}")
        if len(cycles) > LINES_OF_CYCLES:
            lines.append(f"and {len(cycles) - LINES_OF_CYCLES} more, each less clear than these")
        return lines

    def _contract_lines(self) -> list[str]:
        """How often each agent declared each contract, and the share made."""
        tallies = [self.tally(place) for place in range(len(self.specs))]
        lines = ["Contracts declared, and how many of these were made"]
        for first in range(0, len(tallies), 6):
            shown = tallies[first : first + 6]
            heads = (f"{first + place + 1}" for place in range(len(shown)))
            lines += ["", f"{'':<10}" + "".join(f"{head:>15}" for head in heads)]
            for label, counts in _contracts(shown):
                lines.append(f"{label:<10}" + "".join(f"{cell:>15}" for cell in counts))
        return lines

    def _label(self, place: int) -> str:
        return f"{place + 1:>2}  {short(self.cross.names[place], 15)}"

    def plot(self, path: str | Path) -> None:
        """Draw ratings with their intervals, and the matrix of points a deal, to a file.

        Raises:
            ModuleNotFoundError: Matplotlib is missing (the extra `plot`).
            ValueError: The file's suffix is none that Matplotlib can write.
        """
        from matplotlib.figure import Figure

        number = len(self.specs)
        names = [self._label(place) for place in range(number)]
        figure = Figure(figsize=(4.5 + 1.1 * number, 1.5 + 0.5 * number), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for place, rating in enumerate(self.ratings):
            left.plot([rating.low, rating.high], [place, place], color="C0")
            left.plot(rating.value, place, "o", color="C0")
        left.axvline(0, color="black", linewidth=0.8)
        left.set_xlabel("rating, 95% interval")
        left.set_yticks(range(number), names)
        points = [[self.cross.pair(i, j)[0] for j in range(number)] for i in range(number)]
        # Colours tell close agents apart; a lead of 60 and one of 200 may look alike.
        right.imshow(points, cmap="RdBu", vmin=-60, vmax=60, aspect="auto")
        for i, j in np.ndindex(number, number):
            if i != j:
                dark = abs(points[i][j]) > 40
                colour = "white" if dark else "black"
                right.text(j, i, f"{points[i][j]:+.1f}", ha="center", va="center", color=colour)
        right.set_xticks(range(number), [str(place + 1) for place in range(number)])
        right.set_xlabel("points a deal by which the row leads")
        figure.savefig(path, dpi=120)


def stand(specs: Sequence[str], cross: CrossPlay, anchor: str) -> Standings:
    """Rate the agents of a cross-play, and put the best first; agents rated alike by name.

    Args:
        specs: What names each agent, in the order of `cross`; no two are the same.
        cross: Every pair, on the same deals.
        anchor: The one of `specs` whose rating is 0.
    """
    values = np.array([match.values for match in cross.matches])
    ratings = rate(values, len(specs), specs.index(anchor))
    order = sorted(range(len(specs)), key=lambda i: (-ratings[i].value, specs[i]))
    return Standings(
        tuple(specs[i] for i in order),
        order.index(specs.index(anchor)),
        tuple(ratings[i] for i in order),
        cross.ordered(order),
    )


def _contracts(tallies: Sequence[Tally]) -> list[tuple[str, list[str]]]:
    """Label and cells of each row: all contracts, then each that was declared at all."""
    rows = [("all", [shares(sum(t.made), sum(t.declared)) for t in tallies])]
    for level, contract in enumerate(CONTRACTS):
        if any(tally.declared[level] for tally in tallies):
            cells = [shares(tally.made[level], tally.declared[level]) for tally in tallies]
            rows.append((f"{contract}", cells))
    return rows
