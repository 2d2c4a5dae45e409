"""The transposition table: what is known of positions between two tricks.

An entry stands for all positions whose suits, card for card from the top, lie with the same seats.
Legal play depends on nothing else, points do: so it also says which honours were left. Where those
differ, the same play brings a difference that is bounded by the points of the cards, and the
entry's bounds hold once they are widened by it.

| bits | of an entry's second word |
|---|---|
| 0..7, 8..15 | lower and upper bound of the points to come |
| 16..21 | the best move: suit, and how many cards left are above it; 63: none |
| 22..41 | the honours left |
| 42..45 | tricks to come |
| 46..62 | age |
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ..core._jit import jit
from ..core.cards import (
    CARD_POINTS,
    HAND_SIZE,
    SUIT_BITS,
    SUIT_SIZE,
    SUITS,
    above,
    cards_of,
    count,
    suit_of,
)
from ..core.deal import mix
from .position import AGES, Int, Search, ghna_code

Word: TypeAlias = Any
"""A uint64."""

HONOURS = 5  # the cards of a suit that have points, the strongest ones
NO_MOVE = 63
MOST = 255  # above any total


def _gains() -> np.ndarray:
    """How much better the honours i can be than j, card for card from the top."""
    gains = np.zeros((1 << HONOURS, 1 << HONOURS), np.int64)
    for i in range(1 << HONOURS):
        for j in range(1 << HONOURS):
            ranked = []
            for honours in (i, j):
                points = [
                    int(CARD_POINTS[SUIT_SIZE - HONOURS + k])
                    for k in reversed(range(HONOURS))
                    if honours >> k & 1
                ]
                ranked.append(points + [0] * (HONOURS - len(points)))
            gains[i, j] = sum(max(0, a - b) for a, b in zip(*ranked, strict=True))
    return gains


GAINS = _gains()


@jit
def key_of(s: Search) -> Word:
    """The key of the position, whose trick has not begun."""
    key = s.leaders[s.seat]
    for suit in range(SUITS):
        key ^= s.codes[suit, s.rest >> suit * SUIT_SIZE & SUIT_BITS]
    if s.live:
        key ^= mix(np.uint64(ghna_code(s)))
    return key


@jit
def honours_of(rest: Int) -> Int:
    """The honours in a set of cards, as 20 bits."""
    rest >>= SUIT_SIZE - HONOURS
    honours = rest & 31
    honours |= rest >> 5 & 31 << 5
    honours |= rest >> 10 & 31 << 10
    return honours | rest >> 15 & 31 << 15


@jit
def gain(ours: Int, theirs: Int) -> Int:
    """How many points the honours `ours` can bring more than `theirs`."""
    total = 0
    for suit in range(SUITS):
        total += GAINS[ours >> 5 * suit & 31, theirs >> 5 * suit & 31]
    return total


@jit
def probe(s: Search, bound: Int) -> Int:
    """What the table says: a value that reaches `bound` or does not, or -1 for nothing.

    Notes the key and the best move known for this ply.
    """
    key = key_of(s)
    s.key[s.ply] = key
    bucket = np.int64(key & np.uint64(s.buckets - 1))
    key ^= s.salt
    honours = honours_of(s.rest)
    hint: Int = NO_MOVE
    lower, upper = np.int64(0), np.int64(MOST)
    for entry in range(0, 8, 2):
        if s.table[bucket, entry] == key:
            word = np.int64(s.table[bucket, entry + 1])
            theirs = word >> 22 & 0xFFFFF
            if theirs == honours or hint == NO_MOVE:
                hint = word >> 16 & 63
            lower = max(lower, (word & 255) - gain(theirs, honours))
            upper = min(upper, (word >> 8 & 255) + gain(honours, theirs))
    s.hint[s.ply] = card_of(s, hint)
    if lower >= bound:
        return lower
    return upper if upper < bound else -1


@jit
def store(s: Search, bound: Int, value: Int, move: Int) -> None:
    """Note what the search for `bound` found, and the move that led to it.

    A move that failed, as all others did, is no good reason to try it first.
    """
    lower, upper = (value, MOST) if value >= bound else (0, value)
    honours = honours_of(s.rest)
    bucket = np.int64(s.key[s.ply] & np.uint64(s.buckets - 1))
    key = s.key[s.ply] ^ s.salt
    victim = 0
    least: Int = HAND_SIZE + 1
    found: Int = NO_MOVE
    if (value >= bound) == ((s.seat ^ s.declaring) & 1 == 0):
        found = place_of(s, move)
    for entry in range(0, 8, 2):
        word = np.int64(s.table[bucket, entry + 1])
        if s.table[bucket, entry] == key and word >> 22 & 0xFFFFF == honours:
            lower, upper = max(lower, word & 255), min(upper, word >> 8 & 255)
            if found == NO_MOVE:
                found = word >> 16 & 63
            victim = entry
            break
        tricks = word >> 42 & 15 if word >> 46 & AGES == s.age else -1
        if tricks < least:
            victim, least = entry, tricks
    word = lower | upper << 8 | found << 16 | honours << 22
    word |= count(s.hands[s.seat]) << 42 | s.age << 46
    s.table[bucket, victim] = key
    s.table[bucket, victim + 1] = np.uint64(word)


@jit
def place_of(s: Search, card: Int) -> Int:
    """A card by its suit and the number of cards left above it."""
    return suit_of(card) << 4 | count(s.rest & above(card))


@jit
def card_of(s: Search, place: Int) -> Int:
    """The card at a place, -1 for none."""
    if place == NO_MOVE:
        return -1
    cards = s.rest & cards_of(place >> 4)
    higher = place & 15
    while count(cards) > higher + 1:
        cards &= cards - 1
    return count((cards & -cards) - 1)
