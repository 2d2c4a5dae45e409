"""The ten tricks (docs/rules.md §6): what must be played, who takes the trick, what it shows.

`duty_of` is the one place that knows the must-follow, must-beat and must-trump rules; the legal
cards and the reasons for an illegal one are both read off it. It and `beats` look at cards alone,
so that a search can ask them without a state.
"""

from __future__ import annotations

from enum import IntEnum

from ._jit import jit
from .cards import (
    HAND_SIZE,
    SEATS,
    CardSet,
    above,
    bit,
    cards_of,
    count,
    points_of,
    strength_of,
    suit_of,
)
from .state import Mask, State


class Duty(IntEnum):
    """What binds the seat to play, and so which rule an illegal card breaks."""

    FREE = 0  # leading, or neither the suit led nor a trump held: any card (§6.1, §6.6)
    FOLLOW = 1  # the suit led, any of it (§6.2)
    BEAT = 2  # the suit led, above its best card (§6.3)
    TRUMP = 3  # a trump, any of them (§6.4)
    OVERTRUMP = 4  # a trump above the best trump (§6.5)
    UNDERTRUMP = 5  # a trump, though none beats the best one (§6.5)
    NOT_HELD = 6  # the seat does not hold the card


FREE, FOLLOW, BEAT, TRUMP, OVERTRUMP, UNDERTRUMP, NOT_HELD = (int(duty) for duty in Duty)


@jit
def duty_of(hand: CardSet, led: int, top: int, trump: int) -> tuple[int, CardSet]:
    """What binds who follows from `hand`, and the legal cards.

    `led` is the suit led, `top` the card winning the trick.
    """
    beating = hand & above(top)
    follow = hand & cards_of(led)
    if follow:
        if suit_of(top) == led and beating:
            return BEAT, beating
        return FOLLOW, follow
    trumps = hand & cards_of(trump)
    if trumps:
        if suit_of(top) != trump:
            return TRUMP, trumps
        return (OVERTRUMP, beating) if beating else (UNDERTRUMP, trumps)
    return FREE, hand


@jit
def beats(card: int, top: int, trump: int) -> bool:
    """Whether `card` takes the lead in a trick that `top` is winning (§6.7)."""
    if suit_of(card) == suit_of(top):
        return card > top
    return suit_of(card) == trump


@jit
def duty(state: State, hand: CardSet) -> tuple[int, CardSet]:
    """What binds a seat holding `hand` in the trick on the table, and its legal cards."""
    if state.played % SEATS == 0:
        return FREE, hand
    led = suit_of(state.plays[state.played - state.played % SEATS])
    return duty_of(hand, led, state.top, state.trump)


@jit
def cards(state: State) -> CardSet:
    """The cards that the seat to play may play."""
    return duty(state, state.hands[state.seat])[1]


@jit
def why_not(state: State, card: int) -> int:
    """The `Duty` that playing `card` now would break; `Duty.FREE` if it may be played."""
    hand = state.hands[state.seat]
    if not hand & bit(card):
        return NOT_HELD
    bound_by, allowed = duty(state, hand)
    if allowed & bit(card):
        return FREE
    if bound_by == BEAT and not allowed & cards_of(suit_of(card)):
        return FOLLOW
    if bound_by == OVERTRUMP and suit_of(card) != state.trump:
        return TRUMP
    return bound_by


@jit
def legal(state: State, mask: Mask) -> None:
    """Mark the cards that may be played."""
    allowed = cards(state)
    while allowed:
        lowest_bit = allowed & -allowed
        mask[count(lowest_bit - 1)] = 1
        allowed ^= lowest_bit


@jit
def apply(state: State, card: int) -> bool:
    """The seat plays `card`; returns whether it ends the trick.

    After the tenth trick the phase stays: what ends the deal is not known here.
    """
    seat, place = state.seat, state.played % SEATS
    if place:
        _show(state, seat, card)
    state.hands[seat] &= ~bit(card)
    state.plays[state.played] = card
    state.played += 1
    if place == 0 or beats(card, state.top, state.trump):
        state.top, state.winner = card, seat
    state.seat = (seat + 1) % SEATS
    if place == SEATS - 1:
        _take(state)
        return True
    return False


@jit
def _show(state: State, seat: int, card: int) -> None:
    """Note what playing `card` shows that the seat does not hold (§6.2-6.5)."""
    led = suit_of(state.plays[state.played - state.played % SEATS])
    suit, best = suit_of(card), suit_of(state.top)
    if suit != led:
        state.ceiling[seat, led] = 0
        if suit != state.trump:
            state.ceiling[seat, state.trump] = 0
    if suit == best and card < state.top:
        # Followed below the best card of an untrumped trick, or trumped below the best trump.
        limit = strength_of(state.top)
        state.ceiling[seat, suit] = min(state.ceiling[seat, suit], limit)


@jit
def _take(state: State) -> None:
    """The winner's team takes the four cards; the winner leads next (§6.7)."""
    trick = 0
    for place in range(state.played - SEATS, state.played):
        trick |= bit(state.plays[place])
    state.points[state.winner & 1] += points_of(trick)
    state.tricks[state.winner & 1] += 1
    state.leaders[state.played // SEATS] = state.winner
    state.seat = state.winner


@jit
def sweep(state: State, team: int) -> None:
    """Give `team` every trick left, that on the table included (§8.4)."""
    rest = 0
    for seat in range(SEATS):
        rest |= state.hands[seat]
    for place in range(state.played - state.played % SEATS, state.played):
        rest |= bit(state.plays[place])
    state.points[team] += points_of(rest)
    state.tricks[team] += HAND_SIZE - state.played // SEATS
