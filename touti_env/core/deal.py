"""From a seed to four hands (docs/rules.md §1, §2).

The stream of a game is counter-based: word n is a mix of (key, n), both inside the state. So the
deals of a game depend on its key alone, whatever else draws random numbers and in whatever order.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ._jit import jit
from .cards import CARDS, HAND_SIZE, SEATS, bit
from .state import State

Word: TypeAlias = Any
"""A uint64."""

# The step and the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
STEP = np.uint64(0x9E3779B97F4A7C15)
MIX1 = np.uint64(0xBF58476D1CE4E5B9)
MIX2 = np.uint64(0x94D049BB133111EB)


MAX_SEED = 2**63 - 1


def check_seed(seed: int | None) -> int:
    """`seed` if it is 0 to 2^63 - 1, a fresh one for None.

    Raises:
        TypeError: It is no integer.
        ValueError: It is out of range.
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"seed is {seed!r}; an integer of 0 to 2^63 - 1 is valid")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed is {seed}; 0 to 2^63 - 1 is valid")
    return int(seed)


@jit
def next_dealer(dealer: int) -> int:
    """Who deals after `dealer`, a cancelled deal included (§2.2)."""
    return (dealer + 1) % SEATS


@jit
def opener_of(dealer: int) -> int:
    """Who speaks first and leads to the first trick (§2.3)."""
    return (dealer + 1) % SEATS


@jit
def mix(word: Word) -> Word:
    """A 64-bit word whose every bit depends on every bit of `word`."""
    word = np.uint64(word)
    word = (word ^ (word >> np.uint64(30))) * MIX1
    word = (word ^ (word >> np.uint64(27))) * MIX2
    return word ^ (word >> np.uint64(31))


@jit
def word_at(key: Word, counter: Word) -> Word:
    """Word `counter` of the stream `key`."""
    return mix(np.uint64(key) + np.uint64(counter) * STEP)


@jit
def game_key(seed: int, index: int) -> Word:
    """The key of game `index` of a batch seeded with `seed`: games are unrelated, at any index."""
    return word_at(mix(np.uint64(seed) ^ STEP), index)


@jit
def below(word: Word, n: int) -> Any:
    """A number 0..n-1, uniform to one part in 2^32 / n, from a random word."""
    return np.int64(((np.uint64(word) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@jit
def draw(state: State) -> Word:
    """The next random word of the game."""
    word = word_at(state.key, state.drawn)
    state.drawn += np.uint64(1)
    return word


@jit
def seed_stream(state: State, key: Word) -> None:
    """Put the game at the beginning of the stream `key`."""
    state.key = key
    state.drawn = np.uint64(0)


@jit
def first_dealer(state: State) -> None:
    """Draw the first dealer (§2.2)."""
    state.dealer = below(draw(state), SEATS)


@jit
def shuffle(state: State) -> None:
    """Deal ten cards to each seat, every deal equally likely."""
    deck = np.arange(CARDS)
    for seat in range(SEATS):
        hand = np.int64(0)
        for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
            other = place + below(draw(state), CARDS - place)
            deck[place], deck[other] = deck[other], deck[place]
            hand |= bit(deck[place])
        state.dealt[seat] = hand
