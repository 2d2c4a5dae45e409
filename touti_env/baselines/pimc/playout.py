"""Deals played to their end by an agent that sees, at each turn, what the seat may see and no more.

A double-dummy value takes it that all four seats see all cards. What the bidder reaches from the
same deal is no more than its own play, but nobody in it knows what it cannot know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...agent import Agent, act_many
from ...core import engine
from ...core._jit import jit
from ...core.actions import CONCEDE, NUM_ACTIONS
from ...core.state import OVER, STATE, States
from ...view import look

Ints: TypeAlias = npt.NDArray[np.int64]


def play_out(worlds: States, actions: Sequence[int], player: Agent) -> Ints:
    """The declaring team's totals, int64[A, N], after each action in each world.

    Args:
        worlds: Full states, STATE[N].
        actions: What to try first; each is legal in all worlds.
        player: Who plays all four seats from there; it is given no chance, the words are zero.
    """
    states = np.empty((len(actions), len(worlds)), STATE)
    states[:] = worlds
    for tried, action in zip(states, actions, strict=True):
        _apply_all(tried, int(action))
    games = states.ravel()
    rows = np.empty(len(games), np.int64)
    views = np.zeros(len(games), STATE)
    words = np.zeros(len(games), np.uint64)
    while number := _to_choices(games, rows, views):
        _apply_at(games, rows, np.asarray(act_many(player, views[:number], words[:number])))
    return states["total"].astype(np.int64)


@jit
def _apply_all(states: States, action: int) -> None:
    for i in range(states.size):
        engine.apply(states[i], action)


@jit
def _apply_at(states: States, rows: Ints, actions: Ints) -> None:
    """Take the answers; an illegal one, which would wreck the game, is replaced."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    for k in range(actions.size):
        engine.legal(states[rows[k]], mask)
        legal = 0 <= actions[k] < NUM_ACTIONS and mask[actions[k]]
        engine.apply(states[rows[k]], actions[k] if legal else np.argmax(mask))  # type: ignore[arg-type]


@jit
def _to_choices(states: States, rows: Ints, views: States) -> int:
    """Take what is forced in every game; returns how many have a choice, and shows these.

    Game `rows[k]` is the k-th of them and `views[k]` what its seat sees. Nobody has to give up.
    """
    number = 0
    mask = np.empty(NUM_ACTIONS, np.int8)
    for i in range(states.size):
        while states[i].phase != OVER:
            engine.legal(states[i], mask)
            mask[CONCEDE] = 0
            if mask.sum() > 1:
                look(states[i], states[i].seat, views[number])
                rows[number] = i
                number += 1
                break
            engine.apply(states[i], np.argmax(mask))  # type: ignore[arg-type]
    return number
