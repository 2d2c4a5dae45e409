"""Where the unseen cards may lie, and who will take a trick, as far as the play has shown.

Every distribution of the unseen cards that fits what the seats have shown counts alike, and the
seats are taken one at a time, as if independent: what a careful counter does in the head.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...core._jit import jit
from ...core.cards import SEATS, CardSet, above, cards_of, count, suit_of
from ...core.state import State
from ...view import cards_left, shown_lacking, unseen

Places: TypeAlias = npt.NDArray[np.int64]
"""int64[2, 4], sets of cards by seat: what it may hold, and of these what nobody else may hold."""


@jit
def places_of(view: State) -> Places:
    """Where the unseen cards may lie."""
    places = np.zeros((2, SEATS), np.int64)
    hidden = unseen(view)
    for step in range(1, SEATS):
        seat = (view.viewer + step) % SEATS
        places[0, seat] = hidden & ~shown_lacking(view, seat)
    for seat in range(SEATS):
        others = np.int64(0)
        for step in range(1, SEATS):
            others |= places[0, (seat + step) % SEATS]
        places[1, seat] = places[0, seat] & ~others
    return places


@jit
def lacks(view: State, places: Places, seat: int, wanted: CardSet) -> float:
    """The chance that `seat` holds none of the `wanted` cards, all places being alike."""
    may, must = places[0, seat], places[1, seat]
    if wanted & must:
        return 0.0
    free = count(may & ~must)
    held = cards_left(view, seat) - count(must)
    chance = 1.0
    for _ in range(count(wanted & may)):
        if free <= held:
            return 0.0
        chance *= (free - held) / free
        free -= 1
    return chance


@jit
def expected(view: State, places: Places, seat: int, wanted: CardSet) -> float:
    """How many of the `wanted` cards `seat` may be expected to hold."""
    may = places[0, seat]
    return count(may & wanted) * cards_left(view, seat) / count(may) if may else 0.0


@jit
def _beats(view: State, places: Places, seat: int, led: int, top: int) -> float:
    """The chance that `seat` goes above `top`, the best card of a trick in the suit `led`."""
    better = 1.0 - lacks(view, places, seat, above(top))
    if led == view.trump:
        return better
    void = lacks(view, places, seat, cards_of(led))
    if suit_of(top) != led:
        return void * better
    return better + void * (1.0 - lacks(view, places, seat, cards_of(view.trump)))


@jit
def take(view: State, places: Places, led: int, top: int, ours: bool, yet_to_play: int) -> float:
    """The chance that the own team takes a trick; `ours`: the best card so far, `top`, is its."""
    chance = 1.0 if ours else 0.0
    for step in range(1, yet_to_play + 1):
        seat = (view.viewer + step) % SEATS
        if step == 2:
            chance += (1.0 - chance) * _beats(view, places, seat, led, top)
        elif chance > 0.0:
            chance *= 1.0 - _beats(view, places, seat, led, top)
    return chance


@jit
def ruffed(view: State, places: Places, suit: int) -> float:
    """The chance that an opponent trumps a lead of `suit`."""
    safe = 1.0
    for step in (1, 3):
        seat = (view.viewer + step) % SEATS
        trumps = 1.0 - lacks(view, places, seat, cards_of(view.trump))
        safe *= 1.0 - trumps * lacks(view, places, seat, cards_of(suit))
    return 1.0 - safe


@jit
def top_is_theirs(view: State, places: Places, higher: CardSet) -> float:
    """The chance that the best of the `higher` cards is an opponent's; 0 if there is none."""
    if not higher:
        return 0.0
    while higher & (higher - 1):
        higher &= higher - 1
    return lacks(view, places, view.viewer ^ 2, higher)
