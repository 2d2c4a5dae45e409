"""What the arena measures: duplicate matches and tables of every pair, as numbers and as text.

The value of a deal is what the first agent scores more than the second, in points, the mean of the
deal's two tables. Deals are independent, so the standard error is taken over their values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .core.actions import (
    ADVISE_PASS,
    AS,
    BID_STEP,
    COMPTE,
    LEVELS,
    MIN_BID,
    PASS,
    PLUS_TEN,
    SKIP,
)
from .core.rules import Rules
from .core.state import Phase
from .notation import name as word_of

Values: TypeAlias = npt.NDArray[np.float64]

CONTRACTS = range(MIN_BID, MIN_BID + BID_STEP * LEVELS, BID_STEP)
"""Every contract: 70, 80, ... 230."""
LEAVINGS = tuple(word_of(action, Phase.AUCTION) for action in (PASS, AS, COMPTE))
"""The words with which a player leaves the auction (§3.2, §3.3)."""
SIGNALS = tuple(
    word_of(action, Phase.SIGNAL) for action in (AS, COMPTE, PLUS_TEN, ADVISE_PASS, SKIP)
)
"""What a partner may signal (§4.2), silence last."""


@dataclass(frozen=True)
class Tally:
    """What one agent did in a match, at both tables.

    Attributes:
        name: The agent's name.
        declared: How often it was declarer, by contract: 70, 80, ... 230.
        made: How often it then made its contract, likewise.
        left: How often it left the auction, by word: those of `LEAVINGS`.
        signals: What it signalled when it was due to, by word: those of `SIGNALS`.
        decisions: How often it was asked.
        illegal: How many of its answers the rules forbid.
        seconds: The processor time that it took to decide; left out of comparisons.
    """

    name: str
    declared: tuple[int, ...]
    made: tuple[int, ...]
    left: tuple[int, ...]
    signals: tuple[int, ...]
    decisions: int
    illegal: int
    seconds: float = field(compare=False)

    @property
    def seconds_per_decision(self) -> float:
        """The processor time of one decision, in seconds."""
        return self.seconds / max(self.decisions, 1)

    def __add__(self, more: Tally) -> Tally:
        """What the agent did in this match and in one `more`."""
        return Tally(
            self.name,
            _sums(self.declared, more.declared),
            _sums(self.made, more.made),
            _sums(self.left, more.left),
            _sums(self.signals, more.signals),
            self.decisions + more.decisions,
            self.illegal + more.illegal,
            self.seconds + more.seconds,
        )

    def asdict(self) -> dict[str, Any]:
        """Every number by name, of plain types that JSON can hold."""
        return {
            "name": self.name,
            "declared": sum(self.declared),
            "made": sum(self.made),
            "contracts": [
                {"contract": contract, "declared": declared, "made": made}
                for contract, declared, made in zip(
                    CONTRACTS, self.declared, self.made, strict=True
                )
                if declared
            ],
            "left": dict(zip(LEAVINGS, self.left, strict=True)),
            "signals": dict(zip(SIGNALS, self.signals, strict=True)),
            "decisions": self.decisions,
            "illegal": self.illegal,
            "seconds_per_decision": self.seconds_per_decision,
        }


@dataclass(frozen=True)
class Match:
    """The result of a duplicate match; it compares equal to another played alike.

    Attributes:
        agents: What each agent did.
        rules: The variant played.
        seed: Where the deals came from.
        values: The value of each deal: points of the first agent minus those of the second, the
            mean of two tables.
        cancelled: How many tables (two a deal) ended without a bid.
    """

    agents: tuple[Tally, Tally]
    rules: Rules
    seed: int
    values: tuple[float, ...] = field(repr=False)
    cancelled: int

    @property
    def deals(self) -> int:
        """How many deals were played, each at two tables."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Points a deal by which the first agent leads."""
        return mean_and_error(self.values)[0]

    @property
    def standard_error(self) -> float:
        """The standard error of `mean`."""
        return mean_and_error(self.values)[1]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of `mean`."""
        return interval_of(self.values)

    def __add__(self, more: Match) -> Match:
        """This match with the deals of `more`, one of the same two agents, after its own."""
        first, second = self.agents
        agents = (first + more.agents[0], second + more.agents[1])
        cancelled = self.cancelled + more.cancelled
        return Match(agents, self.rules, self.seed, self.values + more.values, cancelled)

    def turned(self) -> Match:
        """The same match with the second agent first."""
        first, second = self.agents
        values = tuple(0.0 - value for value in self.values)
        return Match((second, first), self.rules, self.seed, values, self.cancelled)

    def asdict(self) -> dict[str, Any]:
        """Every number by name, of plain types that JSON can hold; the deals' values left out."""
        return {
            "agents": [tally.asdict() for tally in self.agents],
            "rules": {"name": self.rules.name, **self.rules.asdict()},
            "seed": self.seed,
            "deals": self.deals,
            "points_per_deal": self.mean,
            "standard_error": self.standard_error,
            "interval_95": list(self.interval),
            "cancelled": self.cancelled,
        }

    def table(self) -> str:
        """The result as text, at most 88 columns wide."""
        first, second = self.agents
        low, high = self.interval
        heads = (short(first.name), short(second.name))
        rows = [
            _row("", *heads),
            *_contract_rows(self.agents),
            *_talk_rows(self.agents),
            *_conduct_rows(self.agents),
        ]
        return "\n".join(
            [
                f"{short(first.name, 38)} against {short(second.name, 38)}",
                _origin(self.deals, self.rules, self.seed),
                "",
                f"{_points(self.mean, self.standard_error)} points a deal for "
                f"{short(first.name, 20)}; 95% interval {low:+.2f} to {high:+.2f}",
                "",
                *rows,
                "",
                f"{self.cancelled:,} of {2 * self.deals:,} tables ended without a bid",
                *_footnote(self.agents),
            ]
        )


@dataclass(frozen=True)
class CrossPlay:
    """Every pair of some agents on the same deals.

    Attributes:
        names: The agents' names.
        matches: The duplicate matches: 0 against 1, 0 against 2, ... 1 against 2, ...
    """

    names: tuple[str, ...]
    matches: tuple[Match, ...]

    def match(self, i: int, j: int) -> Match:
        """The match of agents `i` and `j` (the lower number is its first agent)."""
        pairs = list(combinations(range(len(self.names)), 2))
        return self.matches[pairs.index((min(i, j), max(i, j)))]

    def values(self, i: int, j: int) -> Values:
        """Points of agent `i` minus those of agent `j`, deal by deal; float64[deals]."""
        values = np.array(self.match(i, j).values)
        return values if i < j else 0.0 - values

    def facing(self, i: int, j: int) -> Match:
        """The match of agents `i` and `j` with `i` as its first agent."""
        return self.match(i, j) if i < j else self.match(i, j).turned()

    def ordered(self, order: Sequence[int]) -> CrossPlay:
        """The same with the agents in another order: number `order[0]` first, and so on."""
        matches = tuple(self.facing(i, j) for i, j in combinations(order, 2))
        return CrossPlay(tuple(self.names[i] for i in order), matches)

    def pair(self, i: int, j: int) -> tuple[float, float]:
        """Points a deal by which `i` leads `j`, and the standard error; zeros against itself."""
        return (0.0, 0.0) if i == j else mean_and_error(self.values(i, j))

    def mean(self, i: int) -> tuple[float, float]:
        """Points a deal of `i`, the mean over its opponents, and the standard error.

        All pairs met on the same deals, so the error is taken over deals, not over matches.
        """
        others = [self.values(i, j) for j in range(len(self.names)) if j != i]
        return mean_and_error(np.mean(others, axis=0))

    def asdict(self) -> dict[str, Any]:
        """Every number by name; the matrices hold the row's lead over the column."""
        numbers = range(len(self.names))
        pairs = [[self.pair(i, j) for j in numbers] for i in numbers]
        means = [self.mean(i) for i in numbers]
        return {
            "agents": list(self.names),
            "points_per_deal": [[mean for mean, _ in row] for row in pairs],
            "standard_error": [[error for _, error in row] for row in pairs],
            "mean": [mean for mean, _ in means],
            "mean_standard_error": [error for _, error in means],
            "matches": [match.asdict() for match in self.matches],
        }

    def table(self) -> str:
        """The matrix as text, at most 100 columns wide: the row's lead over the column."""
        first = self.matches[0]
        numbers = range(len(self.names))
        columns = [("mean", [_points(*self.mean(i)) for i in numbers])]
        for j in numbers:
            cells = ["-" if i == j else _points(*self.pair(i, j)) for i in numbers]
            columns.append((f"{j + 1}", cells))
        lines = [_origin(first.deals, first.rules, first.seed), "", _LEGEND]
        for start in range(0, len(columns), 5):
            shown = columns[start : start + 5]
            lines += ["", " " * 20 + "".join(f"{head:>16}" for head, _ in shown)]
            for i, name in enumerate(self.names):
                cells_of_row = "".join(f"{cells[i]:>16}" for _, cells in shown)
                lines.append(f"{i + 1:>2}  {short(name, 15):<16}{cells_of_row}")
        tallies = [tally for match in self.matches for tally in match.agents]
        return "\n".join([*lines, *_footnote(tallies)])


def mean_and_error(values: Sequence[float] | Values) -> tuple[float, float]:
    """The mean of independent values and its standard error; there are at least two."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))


def interval_of(values: Sequence[float] | Values) -> tuple[float, float]:
    """The 95% confidence interval of deals' mean value."""
    return interval_about(*mean_and_error(values), len(values))


def interval_about(mean: float, error: float, number: int) -> tuple[float, float]:
    """The 95% confidence interval about the mean of so many values with this standard error."""
    reach = t_quantile(number - 1) * error
    return mean - reach, mean + reach


def t_quantile(freedom: int) -> float:
    """The 97.5% quantile of Student's t, within 1% from two degrees of freedom on.

    The expansion in 1 / `freedom` of Abramowitz and Stegun, 26.7.5, about the normal's 1.96.
    """
    terms = (1.959964, 2.372271, 2.822499, 2.555854, 1.589533)
    return sum(term / float(freedom) ** power for power, term in enumerate(terms))


def _sums(ours: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(ours, others, strict=True))


def _points(mean: float, error: float) -> str:
    """`+12.34 ± 1.23`."""
    return f"{mean + 0.0:+.2f} ± {error:.2f}"


def shares(made: int, declared: int) -> str:
    """`100 (71%)`: how many were declared, and the share made."""
    return f"{declared:,} ({100 * made / declared:.0f}%)" if declared else "-"


def short(name: str, width: int = 24) -> str:
    """The name, cut where it is too wide for a column."""
    return name if len(name) <= width else name[: width - 1] + "…"


def _origin(deals: int, rules: Rules, seed: int) -> str:
    """Which deals were played."""
    return f"{deals:,} deals, each at two tables; rules {rules.name}, seed {seed}"


def _row(label: str, first: str, second: str) -> str:
    return f"{label:<26}{first:>26}{second:>26}".rstrip()


def _contract_rows(agents: Sequence[Tally]) -> list[str]:
    """How often each agent declared and made each contract that was declared at all."""
    rows = [
        _row("contracts made / declared", *(_made(sum(t.made), sum(t.declared)) for t in agents))
    ]
    for level, contract in enumerate(CONTRACTS):
        if any(tally.declared[level] for tally in agents):
            cells = (_made(tally.made[level], tally.declared[level]) for tally in agents)
            rows.append(_row(f"  {contract}", *cells))
    return rows


def _made(made: int, declared: int) -> str:
    """`71 / 100   71%`."""
    return f"{made:,} / {declared:,} {100 * made / declared:4.0f}%" if declared else "-"


def _talk_rows(agents: Sequence[Tally]) -> list[str]:
    """How often each agent left the auction and signalled, and with which words."""
    rows = []
    for label, words, counts in (
        ("left the auction", LEAVINGS, [tally.left for tally in agents]),
        ("signals due", SIGNALS, [tally.signals for tally in agents]),
    ):
        if any(map(sum, counts)):
            rows.append(_row(label, *(f"{sum(count):,}" for count in counts)))
            for place, word in enumerate(words):
                cells = (_share(count[place], sum(count)) for count in counts)
                rows.append(_row(f"  {word}", *cells))
    return rows


def _share(part: int, whole: int) -> str:
    """`71   71%`."""
    return f"{part:,} {100 * part / whole:4.0f}%" if whole else "-"


def _conduct_rows(agents: Sequence[Tally]) -> list[str]:
    """Decisions, time and illegal actions."""
    return [
        _row("decisions", *(f"{tally.decisions:,}" for tally in agents)),
        _row("time a decision, µs", *(f"{1e6 * t.seconds_per_decision:,.1f}" for t in agents)),
        _row("illegal actions", *(f"{tally.illegal:,}" for tally in agents)),
    ]


def _footnote(tallies: Iterable[Tally]) -> list[str]:
    """What illegal actions, if there were any, have become."""
    counts: dict[str, int] = {}
    for tally in tallies:
        if tally.illegal:
            counts[tally.name] = counts.get(tally.name, 0) + tally.illegal
    return [
        f"{name}: {count:,} illegal actions, each replaced by the legal one of the lowest id"
        for name, count in counts.items()
    ]


_LEGEND = "Points a deal by which the row leads the column, ± standard error; `mean` over opponents"
