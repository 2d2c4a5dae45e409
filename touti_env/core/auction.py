"""The auction (docs/rules.md §3) and the signals between partners (§4).

A signal that is due is a decision of the partner, just before the player's own turn.
"""

from __future__ import annotations

from ._jit import jit
from .actions import (
    ADVISE_PASS,
    AS,
    COMPTE,
    LEVELS,
    PASS,
    SKIP,
    bid_action,
    bid_level,
    contract_of,
    level_of,
)
from .cards import SEATS
from .state import AUCTION, SIGNAL, SILENT, TRUMP, Mask, State


@jit
def legal(state: State, mask: Mask) -> None:
    """Any higher bid (§3.1), leave (§3.2), or announce, which is leaving too (§3.3)."""
    for level in range(level_of(state.contract) + 1, LEVELS + 1):
        mask[bid_action(level)] = 1
    mask[PASS] = 1
    if state.rules.announcements:
        mask[AS] = mask[COMPTE] = 1


@jit
def apply(state: State, action: int) -> None:
    """Bid or leave; then the turn passes. With nobody left and no bid the phase stays (§3.7)."""
    seat = state.seat
    if action < PASS:
        level = bid_level(action)
        state.bids[seat] |= 1 << level
        state.contract = contract_of(level)
        state.declarer = seat
    else:
        state.left_at[seat] = level_of(state.contract)
        state.announced[seat] = action - PASS
    _pass_turn(state)


@jit
def players_in(state: State) -> int:
    """How many seats are still in."""
    still_in = 0
    for seat in range(SEATS):
        still_in += state.left_at[seat] < 0
    return still_in


@jit
def _pass_turn(state: State) -> None:
    """The declarer names trump once alone (§3.5); else on to the next seat still in (§3.4)."""
    still_in = players_in(state)
    if still_in == 0:
        state.seat = -1
    elif still_in == 1 and state.contract:
        state.phase = TRUMP
        state.seat = state.declarer
    else:
        player = (state.seat + 1) % SEATS
        while state.left_at[player] >= 0:
            player = (player + 1) % SEATS
        state.seat = player
        if signal_due(state, player):
            state.phase = SIGNAL
            state.seat = player ^ 2


@jit
def signal_due(state: State, player: int) -> bool:
    """Whether the partner of `player`, whose turn it is, may signal first (§4.1).

    That an opponent is in and that the partner has not yet signalled at this level need no check:
    while a bid stands the auction goes on only against an opponent, and a player has one turn a
    level.
    """
    return bool(state.rules.signals) and state.contract > 0 and state.left_at[player ^ 2] >= 0


@jit
def legal_signals(state: State, mask: Mask) -> None:
    """Any of the four signals, or silence (§4.2)."""
    mask[AS : ADVISE_PASS + 1] = 1
    mask[SKIP] = 1


@jit
def apply_signal(state: State, action: int) -> None:
    """The whole table hears the signal or the silence (§4.5); then the player's turn."""
    state.signals[state.seat, level_of(state.contract)] = (
        SILENT if action == SKIP else action - PASS
    )
    state.phase = AUCTION
    state.seat ^= 2
