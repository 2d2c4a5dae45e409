"""Advantages for four players in one stream of decisions: each seat's own, never across seats."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float32]


def advantages(
    reward: Floats,
    ended: npt.NDArray[np.bool_],
    seat: npt.NDArray[np.int64],
    value: Floats,
    gamma: float,
    gae_lambda: float,
    cut: npt.NDArray[np.bool_] | None = None,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Generalised advantage estimates over T steps of N games, a chain for each seat.

    What is paid at a step belongs to each seat's last decision. An episode's end ends all four
    chains; in a match the end of a deal is none. A chain that the last step cuts, or a truncation,
    is bootstrapped from its own last decision's value, which has itself no advantage yet: what the
    critic says of a match between two deals is nothing that it has learned.

    Args:
        reward: float32[T, N, 4], paid by step t to each seat.
        ended: bool[T, N], an episode ended in step t.
        seat: int64[T, N], who decided.
        value: float32[T, N], the value of the decision's state to that seat.
        gamma: The discount from one of a seat's decisions to its next.
        gae_lambda: How far the estimate looks before it trusts the values.
        cut: bool[T, N], the episode that ended was truncated; None: none was.

    Returns:
        Advantages, float32[T, N], and bool[T, N], False where the chain was cut.
    """
    steps, games = seat.shape
    advantage = np.zeros((steps, games), np.float32)
    known = np.zeros((steps, games), np.bool_)
    paid, next_value, next_advantage = (np.zeros((games, 4), np.float32) for _ in range(3))
    has_next = np.zeros((games, 4), np.bool_)
    rows: Any = np.arange(games)
    for t in range(steps - 1, -1, -1):
        over = ended[t]
        paid[over] = next_value[over] = next_advantage[over] = 0
        has_next[over] = True if cut is None else ~cut[t, over, None]
        paid += reward[t]
        who = (rows, seat[t])
        delta = paid[who] + gamma * next_value[who] - value[t]
        known[t] = has_next[who]
        advantage[t] = np.where(known[t], delta + gamma * gae_lambda * next_advantage[who], 0)
        paid[who] = 0
        next_value[who] = value[t]
        next_advantage[who] = advantage[t]
        has_next[who] = True
    return advantage, known
