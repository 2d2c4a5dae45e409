"""The defenders may give a deal up (docs/rules.md §8), in variants that allow it."""

from __future__ import annotations

from ._jit import jit
from .actions import CONCEDE, SKIP
from .cards import HAND_SIZE, SEATS
from .state import ANSWER, PLAY, Mask, State


@jit
def may_propose(state: State) -> bool:
    """A defender's turn to play in tricks one to nine, not yet proposed in this turn (§8.1)."""
    return (
        state.rules.concession == 1
        and state.proposed == 0
        and (state.seat ^ state.declarer) & 1 == 1
        and state.played // SEATS < HAND_SIZE - 1
    )


@jit
def propose(state: State) -> None:
    """The other defender answers at once (§8.2)."""
    state.proposed = 1
    state.proposals[state.seat] |= 1 << int(state.played // SEATS)  # plain NumPy: int8 overflows
    state.phase = ANSWER
    state.seat ^= 2


@jit
def legal(state: State, mask: Mask) -> None:
    """Agree or refuse (§8.2)."""
    mask[CONCEDE] = mask[SKIP] = 1


@jit
def apply(state: State, action: int) -> bool:
    """The answer; returns whether the deal is conceded. If refused, the proposer plays (§8.3)."""
    state.seat ^= 2
    state.phase = PLAY
    state.conceded = action == CONCEDE
    return state.conceded == 1
