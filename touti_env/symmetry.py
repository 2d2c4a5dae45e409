"""The rules never tell one suit from another: one canonical order of suits for each view.

A view relabelled into its canonical order is the same whatever the suits are called, so a network
sees one position where it would see up to 24. The observation, the mask and the critic's state are
made from the relabelled view, and actions are mapped back: all through the one `order`, where
`order[k]` is the suit that is called k.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .core._jit import jit
from .core.actions import GHNA, NUM_ACTIONS, SKIP, TRUMP
from .core.cards import (
    CARDS,
    SEATS,
    SUIT_BITS,
    SUIT_SIZE,
    SUITS,
    CardSet,
    count,
    strength_of,
    suit_of,
)
from .core.state import State

Order: TypeAlias = npt.NDArray[np.int8]
Orders: TypeAlias = npt.NDArray[np.int8]
Actions: TypeAlias = npt.NDArray[np.int64]
Tables: TypeAlias = npt.NDArray[np.bool_]


@jit
def canonical_order(view: State, order: Order) -> None:
    """Write to `order` (int8[4]) the suits of `view` as its viewer ranks them.

    Trump first once it is named, then by the viewer's dealt length, then by which cards these are,
    then by the suits' public history. Suits that tie in all of it can be exchanged without any
    change.
    """
    keys = np.empty(SUITS, np.int64)
    for suit in range(SUITS):
        dealt = view.dealt[view.viewer] >> np.int64(suit * SUIT_SIZE) & SUIT_BITS
        key = np.int64(suit == view.trump) << np.int64(4) | count(dealt)
        keys[suit] = (key << np.int64(SUIT_SIZE) | dealt) << np.int64(12) | _history(view, suit)
        order[suit] = suit
    for end in range(1, SUITS):
        place = end
        while place > 0 and keys[order[place]] > keys[order[place - 1]]:
            order[place], order[place - 1] = order[place - 1], order[place]
            place -= 1


@jit
def _history(view: State, suit: int) -> int:
    """What all have seen of a suit: the earlier its first card or Ghna, the more (< 2^12)."""
    first = 0
    for place in range(view.played):
        if suit_of(view.plays[place]) == suit:
            first = CARDS - place
            break
    return first << 4 | (SUIT_SIZE - view.ghna_trick[suit] if view.ghna_by[suit] >= 0 else 0)


@jit
def relabel(state: State, order: Order) -> None:
    """Rename the suits of a state or view in place: suit `order[k]` is then called k."""
    names = np.empty(SUITS, np.int64)
    for k in range(SUITS):
        names[order[k]] = k
    for seat in range(SEATS):
        state.dealt[seat] = _relabel_cards(state.dealt[seat], order)
        state.hands[seat] = _relabel_cards(state.hands[seat], order)
        _permute(state.ceiling[seat], order)
    _permute(state.ghna_by, order)
    _permute(state.ghna_trick, order)
    if state.trump >= 0:
        state.trump = names[state.trump]
    if state.top >= 0:
        state.top = _relabel_card(state.top, names)
    for place in range(state.played):
        state.plays[place] = _relabel_card(state.plays[place], names)


@jit
def _relabel_cards(cards: CardSet, order: Order) -> CardSet:
    renamed = np.int64(0)
    for k in range(SUITS):
        held = cards >> np.int64(order[k] * SUIT_SIZE) & SUIT_BITS
        renamed |= held << np.int64(k * SUIT_SIZE)
    return renamed


@jit
def _relabel_card(card: int, names: npt.NDArray[np.int64]) -> int:
    return names[suit_of(card)] * SUIT_SIZE + strength_of(card)


@jit
def _permute(by_suit: npt.NDArray[np.int8], order: Order) -> None:
    a, b, c, d = by_suit[order[0]], by_suit[order[1]], by_suit[order[2]], by_suit[order[3]]
    by_suit[0], by_suit[1], by_suit[2], by_suit[3] = a, b, c, d


@jit
def true_action(action: int, order: Order) -> int:
    """The action in the table's suits that `action` in canonical suits stands for."""
    if action < CARDS:
        return order[suit_of(action)] * SUIT_SIZE + strength_of(action)
    if TRUMP <= action < GHNA:
        return TRUMP + order[action - TRUMP]
    if GHNA <= action < SKIP:
        return GHNA + order[action - GHNA]
    return action


@jit
def true_actions(actions: Actions, orders: Orders) -> Actions:
    """`true_action` for every one of `actions`, int64[N]; `orders` is int8[N, 4]."""
    table = np.empty_like(actions)
    for i in range(actions.size):
        table[i] = true_action(actions[i], orders[i])
    return table


@jit
def canonical_actions(actions: Actions, orders: Orders) -> Actions:
    """The reverse: the table's `actions`, int64[N], in canonical suits."""
    canonical = np.empty_like(actions)
    names = np.empty(SUITS, np.int8)
    for i in range(actions.size):
        for k in range(SUITS):
            names[orders[i, k]] = k
        canonical[i] = true_action(actions[i], names)
    return canonical


@jit
def canonical_tables(tables: Tables, orders: Orders) -> Tables:
    """`tables`, bool[N, 72], by actions of the table's suits, in canonical suits; likewise."""
    canonical = np.empty_like(tables)
    for i in range(len(tables)):
        for action in range(NUM_ACTIONS):
            canonical[i, action] = tables[i, true_action(action, orders[i])]
    return canonical
