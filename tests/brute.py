"""What a deal comes to by playing everything out on the engine itself: slow, and plain to read."""

from __future__ import annotations

from typing import Any

import numpy as np

from touti_env.core import engine
from touti_env.core._jit import jit
from touti_env.core.actions import CONCEDE, NUM_ACTIONS
from touti_env.core.state import OVER, STATE, State, States

MOST_DECISIONS = 60


@jit
def _minimax(states: States, masks: Any, depth: int) -> int:
    """The total of states[depth] under best play, every legal action tried."""
    state = states[depth]
    if state.phase == OVER:
        return state.total
    engine.legal(state, masks[depth])
    declaring = (state.seat ^ state.declarer) & 1 == 0
    best = -1 if declaring else 1000
    for action in range(NUM_ACTIONS):
        if masks[depth, action]:
            states[depth + 1] = state
            engine.apply(states[depth + 1], action)
            total = _minimax(states, masks, depth + 1)
            best = max(best, total) if declaring else min(best, total)
    return best


@jit
def _alpha_beta(states: States, masks: Any, depth: int, alpha: int, beta: int) -> int:
    """The same, but for what cannot matter any more, and without proposals to concede."""
    state = states[depth]
    if state.phase == OVER:
        return state.total
    engine.legal(state, masks[depth])
    masks[depth, CONCEDE] = 0
    declaring = (state.seat ^ state.declarer) & 1 == 0
    best = -1 if declaring else 1000
    for action in range(NUM_ACTIONS):
        if masks[depth, action] and alpha < beta:
            states[depth + 1] = state
            engine.apply(states[depth + 1], action)
            total = _alpha_beta(states, masks, depth + 1, alpha, beta)
            if declaring:
                best = max(best, total)
                alpha = max(alpha, best)
            else:
                best = min(best, total)
                beta = min(beta, best)
    return best


def minimax(state: State) -> int:
    """The declaring team's total when all four seats see everything and play their best."""
    states, masks = _room(state)
    return int(_minimax(states, masks, 0))


def alpha_beta(state: State) -> int:
    """The same, some cards sooner."""
    states, masks = _room(state)
    return int(_alpha_beta(states, masks, 0, -1, 1000))


def _room(state: State) -> tuple[States, Any]:
    states = np.zeros(MOST_DECISIONS, STATE)
    states[0] = state
    return states, np.zeros((MOST_DECISIONS, NUM_ACTIONS), np.int8)
