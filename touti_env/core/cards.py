"""The deck (docs/rules.md §1): 40 cards as small integers, sets of cards as bit masks.

`card = suit * 10 + strength`, strength 0..9 being the ranks 2 4 5 6 7 10 11 12 3 1: a suit is ten
adjacent bits of an int64 and the stronger card is the higher bit.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ._jit import jit

CardSet: TypeAlias = Any
"""An int64 mask: bit `card` is set for each card in the set."""

SEATS = 4
SUITS = 4
SUIT_SIZE = 10
CARDS = 40
HAND_SIZE = 10

RANKS = (2, 4, 5, 6, 7, 10, 11, 12, 3, 1)  # by strength, weakest first
CARD_POINTS = np.array([0, 0, 0, 0, 0, 2, 3, 4, 10, 11])  # by strength
DECK_POINTS = SUITS * int(CARD_POINTS.sum())

SUIT_BITS = (1 << SUIT_SIZE) - 1
DECK = (1 << CARDS) - 1
CABAL, REY = RANKS.index(11), RANKS.index(12)
GHNA_PAIR = 1 << CABAL | 1 << REY  # within a suit's ten bits


@jit
def bit(card: int) -> CardSet:
    """The set holding just `card`."""
    return np.int64(1) << np.int64(card)


@jit
def suit_of(card: int) -> int:
    """The suit 0..3 of `card`."""
    return card // SUIT_SIZE


@jit
def strength_of(card: int) -> int:
    """The strength 0..9 of `card` in its suit."""
    return card % SUIT_SIZE


@jit
def cards_of(suit: int) -> CardSet:
    """The ten cards of `suit`."""
    return np.int64(SUIT_BITS) << np.int64(suit * SUIT_SIZE)


@jit
def above(card: int) -> CardSet:
    """The cards of the suit of `card` that beat it."""
    return cards_of(suit_of(card)) & -(bit(card) << np.int64(1))


@jit
def pair_of(suit: int) -> CardSet:
    """The Rey and the Cabal of `suit` (§7.1)."""
    return np.int64(GHNA_PAIR) << np.int64(suit * SUIT_SIZE)


@jit
def count(cards: CardSet) -> int:
    """How many cards a set holds."""
    # LLVM turns this loop into one popcount instruction.
    number = 0
    while cards:
        cards &= cards - 1
        number += 1
    return number


@jit
def lowest(cards: CardSet) -> int:
    """The first card of a set that is not empty."""
    return count((cards & -cards) - 1)


@jit
def points_of(cards: CardSet) -> int:
    """The card points of a set (§1.6)."""
    total = 0
    while cards:
        total += CARD_POINTS[lowest(cards) % SUIT_SIZE]
        cards &= cards - 1
    return total
