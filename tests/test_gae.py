"""Advantages: each seat's decisions are a chain of its own."""

import numpy as np
import pytest

pytest.importorskip("torch")

from agents.gae import advantages


def one_game(
    seats: list[int],
    value: list[float],
    reward: list[list[float]],
    ended: list[bool],
    cut: list[bool] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Advantages of a single game with gamma 1/2 and lambda 1/2, as vectors over time."""
    steps = len(seats)
    advantage, known = advantages(
        np.array(reward, np.float32).reshape(steps, 1, 4),
        np.array(ended).reshape(steps, 1),
        np.array(seats).reshape(steps, 1),
        np.array(value, np.float32).reshape(steps, 1),
        0.5,
        0.5,
        None if cut is None else np.array(cut).reshape(steps, 1),
    )
    return advantage[:, 0], known[:, 0]


NOTHING = [0.0, 0.0, 0.0, 0.0]
TEAM_0 = [1.0, -1.0, 1.0, -1.0]


def test_by_hand() -> None:
    """Seats 0 1 0 1, and the last action ends the deal, which team 0 wins."""
    advantage, known = one_game(
        [0, 1, 0, 1], [0.4, 0.2, 0.6, -0.2], [NOTHING] * 3 + [TEAM_0], [False] * 3 + [True]
    )
    last_0 = 1 - 0.6
    last_1 = -1 - -0.2
    first_0 = (0.5 * 0.6 - 0.4) + 0.25 * last_0
    first_1 = (0.5 * -0.2 - 0.2) + 0.25 * last_1
    assert known.all()
    assert advantage.tolist() == pytest.approx([first_0, first_1, last_0, last_1])


def test_rewards_paid_on_another_seats_turn_are_not_lost() -> None:
    """Seat 2 decided long before the end and is paid at the end all the same."""
    advantage, _ = one_game([2, 1, 3, 0], [0.0] * 4, [NOTHING] * 3 + [TEAM_0], [False] * 3 + [True])
    assert advantage.tolist() == [1, -1, -1, 1]


def test_an_end_cuts_all_four_chains() -> None:
    """What the second deal pays does not reach back into the first."""
    advantage, known = one_game(
        [0, 1, 2, 3, 0],
        [0.0] * 5,
        [NOTHING, TEAM_0, NOTHING, NOTHING, [-2.0, 2.0, -2.0, 2.0]],
        [False, True, False, False, True],
    )
    assert known.all()
    assert advantage.tolist() == [1, -1, -2, 2, -2]


def test_a_chain_cut_by_the_last_step_bootstraps_from_its_own_value() -> None:
    advantage, known = one_game([0, 1, 0, 2], [0.5, 9.0, 0.75, 9.0], [NOTHING] * 4, [False] * 4)
    assert known.tolist() == [True, False, False, False]
    assert advantage[0] == pytest.approx(0.5 * 0.75 - 0.5)


def test_the_end_of_a_deal_within_a_match_pays_and_cuts_nothing() -> None:
    """Team 0 wins the first deal at step 1, team 1 the second at step 3, and with it the match."""
    paid = [NOTHING, TEAM_0, NOTHING, [-2.0, 2.0, -2.0, 2.0]]
    advantage, known = one_game(
        [0, 1, 0, 1], [0.4, 0.2, 0.6, -0.2], paid, [False, False, False, True]
    )
    last_0, last_1 = -2 - 0.6, 2 - -0.2
    first_0 = (1 + 0.5 * 0.6 - 0.4) + 0.25 * last_0
    first_1 = (-1 + 0.5 * -0.2 - 0.2) + 0.25 * last_1
    assert known.all()
    assert advantage.tolist() == pytest.approx([first_0, first_1, last_0, last_1])


def test_a_truncation_is_no_end() -> None:
    """Cut short at step 2: each seat's last decision before is trusted, not taken for final."""
    advantage, known = one_game(
        [0, 1, 0, 0, 1],
        [0.4, 0.2, 0.6, 0.1, 0.3],
        [NOTHING, NOTHING, TEAM_0, NOTHING, TEAM_0],
        [False, False, True, False, True],
        [False, False, True, False, False],
    )
    assert known.tolist() == [True, False, False, True, True]
    assert advantage.tolist() == pytest.approx([0.5 * 0.6 - 0.4, 0, 0, 1 - 0.1, -1 - 0.3])


def test_rewards_inside_a_cut_chain_count() -> None:
    advantage, _ = one_game([0, 1, 0], [0.0] * 3, [NOTHING, TEAM_0, NOTHING], [False] * 3)
    assert advantage[0] == 1


def test_permuting_the_seats_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    steps, games = 40, 30
    seat = rng.integers(4, size=(steps, games))
    value = rng.normal(size=(steps, games)).astype(np.float32)
    reward = rng.normal(size=(steps, games, 4)).astype(np.float32)
    ended = rng.random((steps, games)) < 0.1
    other = np.array([2, 0, 3, 1])
    moved = np.empty_like(reward)
    moved[..., other] = reward
    plain = advantages(reward, ended, seat, value, 0.9, 0.8)
    permuted = advantages(moved, ended, other[seat], value, 0.9, 0.8)
    assert np.array_equal(plain[0], permuted[0])
    assert np.array_equal(plain[1], permuted[1])


def test_with_lambda_one_advantages_are_returns_less_values() -> None:
    """At gamma 1, lambda 1 every decision of a finished deal is worth what its seat is paid."""
    advantage, _ = one_game_undiscounted()
    assert advantage.tolist() == pytest.approx([1 - 0.3, -1 - 0.1, 1 - 0.7, 1 - 0.2])


def one_game_undiscounted() -> tuple[np.ndarray, np.ndarray]:
    advantage, known = advantages(
        np.array([NOTHING] * 3 + [TEAM_0], np.float32).reshape(4, 1, 4),
        np.array([False] * 3 + [True]).reshape(4, 1),
        np.array([0, 1, 0, 2]).reshape(4, 1),
        np.array([0.3, 0.1, 0.7, 0.2], np.float32).reshape(4, 1),
        1.0,
        1.0,
    )
    return advantage[:, 0], known[:, 0]
