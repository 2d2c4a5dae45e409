"""Naming trump (docs/rules.md §5)."""

from __future__ import annotations

from . import actions
from ._jit import jit
from .cards import SEATS, SUITS
from .state import PLAY, Mask, State


@jit
def legal(state: State, mask: Mask) -> None:
    """Any of the four suits."""
    mask[actions.TRUMP : actions.TRUMP + SUITS] = 1


@jit
def apply(state: State, action: int) -> None:
    """Trump is named; the seat after the dealer leads, whoever declared (§2.3)."""
    state.trump = action - actions.TRUMP
    state.phase = PLAY
    state.seat = (state.dealer + 1) % SEATS
    state.leaders[0] = state.seat
