"""What ten cards are worth at the auction: points, Ghna, the best trump, the contract to bid.

The card points that a declaring team will take, the last trick's 10 included, are close to a linear
function of fourteen plain facts about the declarer's hand and the suit named. The weights are those
of a least squares fit over 120,000 random deals played out by the `heuristic` player
(`benchmarks/fit_handvalue.py`); what the other thirty cards decide is a spread of 18 points around
the estimate. Ghna comes on top, as far as the contract's cap lets it (§7.3): with the trump pair
one and the same hand is worth 76 at 80 and 112 at 100.

| fact | points |
|---|---|
| any hand | 27 |
| each trump; each from the fifth on | 7; 5 |
| in trumps: ace, Triss, Rey, each of Cabal and Sota | 10, 7, 3, 1 |
| in plain suits: ace, Rey | 10, 1 |
| in plain suits, Triss: beside its ace, guarded, bare | 4, 6, −3 |
| each void, each single card | 9, 3 |
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .core._jit import jit
from .core.actions import LEVELS, contract_of
from .core.cards import (
    CABAL,
    REY,
    SUIT_BITS,
    SUIT_SIZE,
    SUITS,
    CardSet,
    count,
    pair_of,
    points_of,
)
from .core.rules import Rules
from .core.scoring import ghna_cap, ghna_value
from .core.state import State

Facts: TypeAlias = npt.NDArray[np.float64]
"""The numbers of `describe`, float64[14]."""

NUM_FACTS = 14
WEIGHTS = np.array(
    [27.4, 6.6, -1.9, 10.4, 6.9, 2.7, 1.2, 10.5, 4.4, 6.2, -3.2, 0.9, 9.3, 2.8],
)
SPREAD = 18.1
"""The standard deviation of the points taken around their estimate."""

# How often a whole pair in hand gets declared, and how often the partner of a player with neither
# card of a suit holds both and declares them.
OWN_GHNA, PARTNER_GHNA = 0.9, 0.09

# What the partner's cards add to the estimate, from the same deals: an ace, and each other point.
HELP_ACE, HELP_POINT, HELP_NONE = 12.2, 0.54, -19.4

SOTA, TRISS, ACE = 5, 8, 9  # strengths, beside CABAL and REY


@jit
def describe(hand: CardSet, trump: int, facts: Facts) -> None:
    """Write the fourteen facts about `hand` with `trump` named, in the order of the table."""
    facts[:] = 0.0
    facts[0] = 1.0
    suit = hand >> np.int64(trump * SUIT_SIZE) & SUIT_BITS
    facts[1] = count(suit)
    facts[2] = max(0, count(suit) - 4)
    facts[3] = suit >> ACE & 1
    facts[4] = suit >> TRISS & 1
    facts[5] = suit >> REY & 1
    facts[6] = (suit >> CABAL & 1) + (suit >> SOTA & 1)
    for plain in range(SUITS):
        if plain != trump:
            _describe_plain(hand >> np.int64(plain * SUIT_SIZE) & SUIT_BITS, facts)


@jit
def _describe_plain(suit: CardSet, facts: Facts) -> None:
    """Add the facts about one plain suit, given as ten bits."""
    length, ace = count(suit), suit >> ACE & 1
    facts[7] += ace
    if suit >> TRISS & 1:
        facts[8 if ace else 9 if length > 1 else 10] += 1.0
    facts[11] += suit >> REY & 1
    facts[12] += length == 0
    facts[13] += length == 1


@jit
def card_points(hand: CardSet, trump: int) -> float:
    """The card points to expect for the declarer's team, last trick included."""
    facts = np.empty(NUM_FACTS)
    describe(hand, trump, facts)
    total = 0.0
    for i in range(NUM_FACTS):
        total += WEIGHTS[i] * facts[i]
    return total


@jit
def certain_ghna(rules: Rules | State, hand: CardSet, trump: int, cap: int) -> int:
    """The most that the whole pairs in `hand` come to under `cap`."""
    plain_only, with_trump = 0, 0
    value = ghna_value(rules, True)
    if hand & pair_of(trump) == pair_of(trump) and value <= cap:
        with_trump = value
    value = ghna_value(rules, False)
    for suit in range(SUITS):
        if suit != trump and hand & pair_of(suit) == pair_of(suit):
            plain_only += value if plain_only + value <= cap else 0
            with_trump += value if with_trump + value <= cap else 0
    return max(plain_only, with_trump)


@jit
def expected_ghna(rules: Rules | State, hand: CardSet, trump: int, cap: int) -> float:
    """The Ghna to expect under `cap`, the partner's included."""
    expected = OWN_GHNA * certain_ghna(rules, hand, trump, cap)
    for suit in range(SUITS):
        value = ghna_value(rules, suit == trump)
        if hand & pair_of(suit) == 0 and value <= cap:
            expected += PARTNER_GHNA * value
    return min(expected, float(cap))


@jit
def total(rules: Rules | State, hand: CardSet, trump: int, contract: int) -> float:
    """The total (§9.1) to expect of `hand` as the declarer of `contract` with `trump`."""
    cap = ghna_cap(rules, contract)
    return card_points(hand, trump) + expected_ghna(rules, hand, trump, cap)


@jit
def best_trump(rules: Rules | State, hand: CardSet, contract: int) -> int:
    """The suit that `hand` is worth most in at `contract`."""
    best, choice = -1.0, 0
    for trump in range(SUITS):
        worth = total(rules, hand, trump, contract)
        if worth > best:
            best, choice = worth, trump
    return choice


@jit
def chance_to_make(expected: float, contract: int) -> float:
    """The chance that a total expected to be `expected` reaches `contract`."""
    # The logistic curve that lies closest to the normal one.
    return 1.0 / (1.0 + math.exp(-1.702 * (expected - contract) / SPREAD))


@jit
def highest(rules: Rules | State, hand: CardSet, margin: float) -> int:
    """The highest contract that `hand` is worth with `margin` points to spare; 0 for none.

    A contract in reach may have one out of reach below it, where the cap shuts out a Ghna.
    """
    reached = 0
    for level in range(1, LEVELS + 1):
        contract = contract_of(level)
        trump = best_trump(rules, hand, contract)
        if total(rules, hand, trump, contract) >= contract + margin:
            reached = contract
    return reached


@jit
def aces(hand: CardSet) -> int:
    """How many aces a hand holds."""
    number = 0
    for suit in range(SUITS):
        number += hand >> np.int64(suit * SUIT_SIZE + ACE) & 1
    return number


@jit
def side_points(hand: CardSet) -> int:
    """The card points of a hand apart from its aces."""
    return points_of(hand) - 11 * aces(hand)


@jit
def support(hand: CardSet) -> float:
    """How much better than an average partner's hand `hand` is to the declarer facing it."""
    return HELP_NONE + HELP_ACE * aces(hand) + HELP_POINT * side_points(hand)
