"""Bradley–Terry: the fit against what is known of it, and intervals that cover the truth."""

import math
from itertools import combinations

import numpy as np
import pytest

from touti_env.ratings import SCALE, fit, rate


def log_likelihood(ratings, wins):
    """Of won deals, ties as halves, with the one tie more between every two."""
    total = 0.0
    for i, j in combinations(range(len(ratings)), 2):
        for winner, loser in ((i, j), (j, i)):
            won = wins[winner][loser] + 0.5
            total -= won * math.log1p(math.exp(ratings[loser] - ratings[winner]))
    return total


def random_wins(rng, agents, deals=100):
    wins = np.zeros((agents, agents))
    for i, j in combinations(range(agents), 2):
        wins[i, j] = rng.integers(2 * deals + 1) / 2
        wins[j, i] = deals - wins[i, j]
    return wins


@pytest.mark.parametrize("won", [0, 10, 25.5, 50, 99, 100])
def test_two_agents_have_the_log_odds_of_what_they_won(won):
    wins = np.array([[0, won], [100 - won, 0]])
    assert fit(wins, 1) == pytest.approx([math.log((won + 0.5) / (100 - won + 0.5)), 0], abs=1e-9)
    assert fit(wins, 0) == pytest.approx([0, math.log((100 - won + 0.5) / (won + 0.5))], abs=1e-9)


def test_the_fit_is_what_a_slow_and_sure_search_finds():
    """Zermelo's iteration: strength = wins / sum of games / (the two strengths together)."""
    rng = np.random.default_rng(1)
    for agents in (3, 5):
        wins = random_wins(rng, agents)
        counted = wins + 0.5 - 0.5 * np.eye(agents)
        strength = np.ones(agents)
        for _ in range(20_000):
            games = (counted + counted.T) / (strength[:, None] + strength)
            strength = counted.sum(1) / games.sum(1)
            strength /= strength[0]
        assert fit(wins, 0) == pytest.approx(np.log(strength), abs=1e-7)


def test_no_ratings_near_the_fit_are_likelier():
    rng = np.random.default_rng(2)
    wins = random_wins(rng, 4)
    ratings = fit(wins, 0)
    best = log_likelihood(ratings, wins)
    for _ in range(200):
        assert log_likelihood(ratings + rng.normal(0, 0.01, 4), wins) <= best


def test_ratings_are_finite_where_one_wins_all():
    wins = np.array([[0, 1e5, 1e5], [0, 0, 1e5], [0, 0, 0]])
    best, middle, worst = fit(wins, 1)
    assert math.log(1e5) < best < math.log(1e6)
    assert worst == pytest.approx(-best)
    assert middle == 0


def test_many_fits_at_once_are_the_same_as_one_by_one():
    rng = np.random.default_rng(3)
    wins = np.array([random_wins(rng, 4) for _ in range(20)])
    np.testing.assert_allclose(fit(wins, 2), [fit(one, 2) for one in wins], atol=1e-9)


def test_the_order_and_the_anchor_change_nothing_but_the_zero():
    rng = np.random.default_rng(4)
    wins = random_wins(rng, 5)
    ratings, order = fit(wins, 0), rng.permutation(5)
    shuffled = fit(wins[order][:, order], 0)
    np.testing.assert_allclose(shuffled - shuffled[0], ratings[order] - ratings[order][0])
    np.testing.assert_allclose(fit(wins, 3), ratings - ratings[3], atol=1e-9)


def simulated(rng, strengths, deals):
    """Values of deals in which each pair's result follows the model, deals having luck in common.

    Every agent draws one number a deal; the difference of two such (Gumbel) is logistic.
    """
    luck = rng.gumbel(size=(len(strengths), deals)) + np.array(strengths)[:, None]
    pairs = combinations(range(len(strengths)), 2)
    return np.array([luck[i] - luck[j] for i, j in pairs])


def test_ratings_approach_the_truth():
    strengths = [0.0, 0.5, -1.0, 2.0]
    ratings = rate(simulated(np.random.default_rng(5), strengths, 50_000), 4, 0, replicates=20)
    for rating, strength in zip(ratings, strengths, strict=True):
        assert rating.value == pytest.approx(SCALE * strength, abs=10)
        assert rating.low <= rating.value <= rating.high
    assert (ratings[0].value, ratings[0].low, ratings[0].high) == (0, 0, 0)


def test_intervals_cover_the_truth_nineteen_times_in_twenty():
    strengths, trials = [0.0, 0.4, -0.8], 300
    rng = np.random.default_rng(6)
    covered = np.zeros(2)
    for _ in range(trials):
        ratings = rate(simulated(rng, strengths, 300), 3, 0, replicates=200)
        for place in (1, 2):
            truth = SCALE * strengths[place]
            covered[place - 1] += ratings[place].low <= truth <= ratings[place].high
    assert (abs(covered / trials - 0.95) < 0.045).all(), covered / trials


def test_a_tie_is_half_a_win_each_and_points_do_not_count():
    win, tie, loss = 0.5, 0.0, -120.0
    ratings = rate(np.array([[win, tie, tie, loss]]), 2, 0)
    assert ratings[1].value == pytest.approx(0)
    assert rate(np.array([[win, win, tie, loss]]), 2, 0)[1].value == pytest.approx(
        SCALE * math.log(2.0 / 3.0)
    )
