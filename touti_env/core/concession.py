"""The defenders may give a deal up (docs/rules.md §8), in variants that allow it."""

from __future__ import annotations

from enum import IntEnum

from ._jit import jit
from .actions import CONCEDE, SKIP
from .cards import HAND_SIZE, SEATS
from .state import ANSWER, PLAY, Mask, State


class Bar(IntEnum):
    """What keeps the seat to play from proposing to give the deal up."""

    NONE = 0
    NO_SUCH_RULE = 1  # the variant has no concession (§8.7)
    DECLARING = 2  # only defenders may (§8.1)
    LAST_TRICK = 3  # it comes before the tenth trick (§8.1)
    REFUSED = 4  # it was proposed in this turn, and refused (§8.1)


NONE, NO_SUCH_RULE, DECLARING, LAST_TRICK, REFUSED = (int(bar) for bar in Bar)


@jit
def why_not(state: State) -> int:
    """The `Bar` that keeps the seat to play from proposing (§8.1)."""
    if state.rules.concession != 1:
        return NO_SUCH_RULE
    if (state.seat ^ state.declarer) & 1 == 0:
        return DECLARING
    if state.played // SEATS == HAND_SIZE - 1:
        return LAST_TRICK
    return REFUSED if state.proposed else NONE


@jit
def may_propose(state: State) -> bool:
    """A defender's turn to play in tricks one to nine, not yet proposed in this turn (§8.1)."""
    return why_not(state) == NONE


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
