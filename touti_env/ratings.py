"""Ratings after Bradley and Terry: one number an agent, from who won how many duplicate deals.

A deal is won by whoever scored more at its two tables together; one that both scored alike is a tie
and counts as half a win for each. The model says that A wins a deal against B with the chance
1 / (1 + 10^((b - a) / 400)), a and b being their ratings: 100 more is to win 64% of the deals, 400
more is 91%. The anchor's rating is 0.

Ratings are those of the greatest likelihood, after one tie more between every two agents: so they
are finite even where one won all. What deals the chance brought is told by a bootstrap: all pairs
play the same deals, so whole deals are drawn anew, with replacement, each with the results of every
pair, and the ratings fitted again. An interval holds the middle 95% of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = npt.NDArray[np.float64]

SCALE = 400 / math.log(10)
"""Rating points of one unit of log-odds."""
REPLICATES = 1000
"""How often the bootstrap draws the deals anew."""


@dataclass(frozen=True)
class Rating:
    """An agent's rating and its 95% interval; the anchor's are all 0."""

    value: float
    low: float
    high: float


def rate(values: Values, agents: int, anchor: int, replicates: int = REPLICATES) -> list[Rating]:
    """The rating of every agent.

    Args:
        values: float64[pairs, deals], points of the first agent of each pair minus those of the
            second, deal by deal; pairs are 0 and 1, 0 and 2, ... 1 and 2, ...
        agents: How many.
        anchor: Whose rating is 0.
        replicates: How often the bootstrap draws the deals anew.
    """
    won = (np.sign(values) + 1) / 2
    deals = values.shape[1]
    ratings = SCALE * fit(_wins(won.sum(1), deals, agents), anchor)
    # The same results have the same intervals, always.
    rng = np.random.default_rng(0)
    drawn = np.empty((replicates, len(won)))
    for replicate in drawn:
        times = np.bincount(rng.integers(deals, size=deals), minlength=deals)
        replicate[:] = won @ times
    again = SCALE * fit(_wins(drawn, deals, agents), anchor)
    low, high = np.quantile(again, (0.025, 0.975), axis=0)
    return [Rating(*map(float, row)) for row in zip(ratings, low, high, strict=True)]


def _wins(won: Values, deals: int, agents: int) -> Values:
    """Wins of the row over the column, [..., agents, agents], from the pairs' [..., pairs]."""
    wins = np.zeros((*won.shape[:-1], agents, agents))
    first, second = np.array(list(combinations(range(agents), 2))).T
    wins[..., first, second] = won
    wins[..., second, first] = deals - won
    return wins


def fit(wins: Values, anchor: int) -> Values:
    """The ratings of the greatest likelihood as log-odds, float64[..., K].

    Newton's method, its steps shortened so that each goes up. A step that changes no difference of
    two ratings by more than d meets at most exp(d) times the curvature that it began with, as
    logistic functions are; log(1 + d) / d of it is then the best that is safe. Near the maximum
    that is the whole step.

    Args:
        wins: float64[..., K, K], how often the row won against the column, ties as halves; one tie
            more is added to each pair.
        anchor: Whose rating is 0.
    """
    number = wins.shape[-1]
    wins = wins + (1 - np.eye(number)) / 2
    games = wins + np.swapaxes(wins, -1, -2)
    free = np.delete(np.arange(number), anchor)
    ratings = np.zeros(wins.shape[:-1])
    spread = np.array(1.0)
    while spread.max() > 1e-7:
        expected = 1 / (1 + np.exp(ratings[..., None, :] - ratings[..., :, None]))
        gradient = (wins - games * expected).sum(-1)
        weights = games * expected * (1 - expected)
        curvature = weights.sum(-1)[..., None] * np.eye(number) - weights
        step = np.zeros_like(ratings)
        step[..., free] = np.linalg.solve(
            curvature[..., free[:, None], free], gradient[..., free, None]
        )[..., 0]
        spread = np.ptp(step, axis=-1, keepdims=True)
        ratings += step * np.where(spread > 0, np.log1p(spread) / np.maximum(spread, 1e-300), 1)
    return ratings
