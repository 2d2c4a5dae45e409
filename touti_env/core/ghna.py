"""Ghna (docs/rules.md §7): the Rey and the Cabal of one suit in one hand."""

from __future__ import annotations

from enum import IntEnum

from . import actions
from ._jit import jit
from .actions import SKIP
from .cards import SUITS, pair_of
from .scoring import cap_left, ghna_value, whole_pairs
from .state import GHNA, PLAY, Mask, State


class Bar(IntEnum):
    """What keeps a seat from declaring the Ghna of a suit."""

    NONE = 0
    NOT_WHOLE = 1  # the seat does not hold both cards (§7.1, §7.4)
    DECLARED = 2  # it was declared before (§7.2)
    OVER_CAP = 3  # it is worth more than is left of the cap (§7.3)


NONE, NOT_WHOLE, DECLARED, OVER_CAP = (int(bar) for bar in Bar)


@jit
def why_not(state: State, seat: int, suit: int) -> int:
    """The `Bar` that keeps `seat` from declaring the Ghna of `suit` (§7.4)."""
    pair = pair_of(suit)
    if state.hands[seat] & pair != pair:
        return NOT_WHOLE
    if state.ghna_by[suit] >= 0:
        return DECLARED
    if ghna_value(state.rules, suit == state.trump) > _left(state):
        return OVER_CAP
    return NONE


@jit
def may_declare(state: State, seat: int, suit: int) -> bool:
    """Whether `seat` holds the pair, has not declared it, and it fits under the cap (§7.4)."""
    return why_not(state, seat, suit) == NONE


@jit
def _left(state: State) -> int:
    """What is left of the contract's cap (§7.3)."""
    return cap_left(state.rules, state.contract, state.ghna_points)


@jit
def ask(state: State, seat: int) -> bool:
    """Ask `seat` for a Ghna if it has one to declare (§7.5); returns whether it is asked."""
    for suit in range(SUITS):
        if may_declare(state, seat, suit):
            state.phase = GHNA
            state.seat = seat
            return True
    return False


@jit
def legal(state: State, mask: Mask) -> None:
    """Any Ghna that fits, or none (§7.5)."""
    for suit in range(SUITS):
        if may_declare(state, state.seat, suit):
            mask[actions.GHNA + suit] = 1
    mask[SKIP] = 1


@jit
def apply(state: State, action: int) -> None:
    """Declare or decline; a winner who declines leaves it to the partner (§7.5)."""
    asked = state.seat
    state.phase = PLAY
    state.seat = state.winner
    if action != SKIP:
        suit = action - actions.GHNA
        state.ghna_by[suit] = asked
        state.ghna_trick[suit] = state.played // 4 - 1
        state.ghna_points += ghna_value(state.rules, suit == state.trump)
    elif asked == state.winner:
        ask(state, asked ^ 2)


@jit
def credit_whole_pairs(state: State) -> None:
    """After a concession: of the pairs still whole, credit the set worth most that fits (§8.5)."""
    trump = plain = 0
    for suit in range(SUITS):
        if may_declare(state, state.declarer, suit) or may_declare(state, state.declarer ^ 2, suit):
            if suit == state.trump:
                trump += 1
            else:
                plain += 1
    state.ghna_points += whole_pairs(state.rules, _left(state), trump, plain)
