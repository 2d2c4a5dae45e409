"""What a seat may know (docs/rules.md §10), and full states that fit it.

A view has the dtype of a state, with all that its viewer cannot know blanked: agents, observations
and renderings are functions of views, so they cannot leak.

Hidden decisions stay hidden. While a seat is asked for a Ghna, every other seat's view shows the
winner of the trick to lead; while a concession is proposed and answered, the declaring seats' views
show the proposer to play.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .core import deal
from .core._jit import jit
from .core.cards import (
    CARDS,
    DECK,
    HAND_SIZE,
    SEATS,
    SUIT_SIZE,
    SUITS,
    CardSet,
    bit,
    cards_of,
    lowest,
    pair_of,
)
from .core.state import ANSWER, GHNA, PLAY, STATE, State, States

Cards: TypeAlias = npt.NDArray[np.int64]

FULL = -1  # the `viewer` of a full state


def view(state: State, seat: int) -> State:
    """What `seat` (0..3) may know of `state`, as a record of the same dtype that shares no memory.

    A view of a view is allowed for its own viewer only.

    Raises:
        ValueError: `seat` is not 0..3, or `state` is the view of another seat.
    """
    if seat not in range(SEATS):
        raise ValueError(f"view: seat {seat!r} does not exist; 0 to 3 are valid")
    if state.viewer not in (FULL, seat):
        raise ValueError(
            f"view: this is the view of seat {state.viewer}; seat {seat} cannot be seen"
        )
    pair = np.zeros(2, STATE)  # the gaps between fields too: equal views are equal bytes
    pair[0] = state
    look(pair[0], seat, pair[1])
    result: State = pair[1]
    return result


@jit
def look(state: State, seat: int, out: State) -> None:
    """Write to `out` what `seat` may know of `state` (a full state, or that seat's own view)."""
    out.rules = state.rules
    out.key = out.drawn = np.uint64(0)
    out.deals = 0
    out.viewer = seat
    out.dealer = state.dealer
    out.score[:] = state.score
    for other in range(SEATS):
        out.dealt[other] = state.dealt[other] if other == seat else 0
        out.hands[other] = state.hands[other] if other == seat else 0
    _copy_public(state, out)
    _hide_ghna(state, seat, out)
    _hide_concession(state, seat, out)


@jit
def _copy_public(state: State, out: State) -> None:
    """The auction, the play and the Ghnas declared: the whole table saw them."""
    out.phase = state.phase
    out.seat = state.seat
    out.contract = state.contract
    out.declarer = state.declarer
    out.bids[:] = state.bids
    out.left_at[:] = state.left_at
    out.announced[:] = state.announced
    out.signals[:] = state.signals
    out.trump = state.trump
    out.played = state.played
    out.plays[:] = state.plays
    out.leaders[:] = state.leaders
    out.top = state.top
    out.winner = state.winner
    out.points[:] = state.points
    out.tricks[:] = state.tricks
    out.ceiling[:] = state.ceiling
    out.ghna_by[:] = state.ghna_by
    out.ghna_trick[:] = state.ghna_trick
    out.ghna_points = state.ghna_points
    out.conceded = state.conceded
    out.total = state.total
    out.scored = state.scored


@jit
def _hide_ghna(state: State, seat: int, out: State) -> None:
    """Who is asked for a Ghna is known to the one asked alone."""
    if state.phase == GHNA and state.seat != seat:
        out.phase = PLAY
        out.seat = state.winner


@jit
def _hide_concession(state: State, seat: int, out: State) -> None:
    """The talk about conceding is known to the two defenders alone (§10.2)."""
    out.proposed = state.proposed
    out.proposals[:] = state.proposals
    if (seat ^ state.declarer) & 1 == 0:
        out.proposed = 0
        out.proposals[:] = 0
        if state.phase == ANSWER:
            out.phase = PLAY
            out.seat = state.seat ^ 2


@jit
def unseen(view: State) -> CardSet:
    """The cards neither played nor in the viewer's hand."""
    cards = np.int64(DECK) & ~view.hands[view.viewer]
    for place in range(view.played):
        cards &= ~bit(view.plays[place])
    return cards


@jit
def shown_lacking(view: State, seat: int) -> CardSet:
    """The cards that `seat` has been shown not to hold: by ceilings, by others' declared Ghnas."""
    lacking = np.int64(0)
    for suit in range(SUITS):
        low = (bit(view.ceiling[seat, suit]) - 1) << np.int64(suit * SUIT_SIZE)
        lacking |= cards_of(suit) & ~low
        if view.ghna_by[suit] >= 0 and view.ghna_by[suit] != seat:
            lacking |= pair_of(suit)
    return lacking


@jit
def cards_left(view: State, seat: int) -> int:
    """How many cards `seat` still holds, from the play alone."""
    trick = view.played // SEATS
    if view.played % SEATS:
        return HAND_SIZE - trick - ((seat - view.leaders[trick]) % SEATS < view.played % SEATS)
    return HAND_SIZE - trick


def resample(view: State, rng: np.random.Generator, number: int | None = None) -> State:
    """A full state that fits `view`, all consistent distributions of the unseen cards alike.

    The public history replays legally on it, up to the viewer's own present decision. Where a drawn
    hand would have been asked something hidden on the way (a Ghna, a concession), it declined. The
    random stream of the result is fresh: deals to come differ.

    Args:
        view: A seat's view; a full state is refused, since it has nothing to draw.
        rng: Where the randomness comes from.
        number: If given, that many independent draws, as an array of states.

    Returns:
        A state record, or an array of `number` of them.

    Raises:
        ValueError: `view` is a full state, `number` is less than 1, or nothing fits the view (no
            reachable view is so).
    """
    if view.viewer == FULL:
        raise ValueError("resample: a full state has no unseen cards; pass view(state, seat)")
    if number is not None and number < 1:
        raise ValueError(f"resample: number is {number}; 1 or more is valid")
    states = np.empty(1 if number is None else number, STATE)
    states[:] = view
    if not draw_unseen(states, int(rng.integers(2**63))):
        raise ValueError("resample: no distribution of the unseen cards fits this view")
    result: State = states[0] if number is None else states
    return result


@jit
def draw_unseen(views: States, key: int) -> bool:
    """Fill in the unseen cards of equal `views`, each drawn uniformly; False where none fits.

    A deal is a way through the unseen cards, one seat a card. `ways[k, a, b]` counts the ways to
    deal the first k of them to the viewer's left and partner holding a and b cards (the third seat
    has the rest), so walking back from the end with these weights draws each way with the same
    probability.
    """
    view = views[0]
    cards = np.empty(CARDS, np.int64)
    total = 0
    rest = unseen(view)
    while rest:
        cards[total] = lowest(rest)
        total += 1
        rest &= rest - 1
    ways = _count_ways(view, cards, total)
    holds_next = cards_left(view, (view.viewer + 1) % SEATS)
    holds_partner = cards_left(view, view.viewer ^ 2)
    if ways[total, holds_next, holds_partner] == 0:
        return False
    for i in range(views.size):
        views[i].key = deal.word_at(key, 2 * i)
        _draw_one(views[i], cards, total, ways, deal.word_at(key, 2 * i + 1))
    return True


@jit
def _count_ways(view: State, cards: Cards, total: int) -> Cards:
    """`ways[k, a, b]` as `draw_unseen` needs it; at most 30! / 10!^3 < 2^43."""
    most = HAND_SIZE + 1
    ways = np.zeros((total + 1, most, most), np.int64)
    ways[0, 0, 0] = 1
    left = cards_left(view, (view.viewer + 3) % SEATS)
    lacks_next = shown_lacking(view, (view.viewer + 1) % SEATS)
    lacks_partner = shown_lacking(view, view.viewer ^ 2)
    lacks_previous = shown_lacking(view, (view.viewer + 3) % SEATS)
    for k in range(1, total + 1):
        card = bit(cards[k - 1])
        for a in range(min(k, HAND_SIZE) + 1):
            for b in range(min(k - a, HAND_SIZE) + 1):
                number = 0
                if a and not lacks_next & card:
                    number += ways[k - 1, a - 1, b]
                if b and not lacks_partner & card:
                    number += ways[k - 1, a, b - 1]
                if 0 < k - a - b <= left and not lacks_previous & card:
                    number += ways[k - 1, a, b]
                ways[k, a, b] = number
    return ways


@jit
def _draw_one(state: State, cards: Cards, total: int, ways: Cards, key: int) -> None:
    """Turn a view into a full state by one walk back through `ways`."""
    viewer = state.viewer
    a = cards_left(state, (viewer + 1) % SEATS)
    b = cards_left(state, viewer ^ 2)
    lacks_next = shown_lacking(state, (viewer + 1) % SEATS)
    lacks_partner = shown_lacking(state, viewer ^ 2)
    held = np.zeros(SEATS, np.int64)
    for k in range(total, 0, -1):
        card = cards[k - 1]
        pick = np.int64(deal.word_at(key, k) % np.uint64(ways[k, a, b]))
        if a and not lacks_next & bit(card):
            weight = ways[k - 1, a - 1, b]
            if pick < weight:
                a -= 1
                held[(viewer + 1) % SEATS] |= bit(card)
                continue
            pick -= weight
        if b and not lacks_partner & bit(card):
            weight = ways[k - 1, a, b - 1]
            if pick < weight:
                b -= 1
                held[viewer ^ 2] |= bit(card)
                continue
        held[(viewer + 3) % SEATS] |= bit(card)
    _reveal(state, held)


@jit
def _reveal(state: State, held: Cards) -> None:
    """Make the state full: what each seat holds, and what it was dealt."""
    held[state.viewer] = state.hands[state.viewer]
    state.hands[:] = held
    state.dealt[:] = held
    for place in range(state.played):
        player = (state.leaders[place // SEATS] + place % SEATS) % SEATS
        state.dealt[player] |= bit(state.plays[place])
    state.viewer = -1
