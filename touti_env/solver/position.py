"""A position of the play as the search sees it: one record with the table and the move lists.

The record is the only thing that is handed down the search. What a move changes is put back by the
search itself, from variables of its own.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..core import ghna
from ..core._jit import jit
from ..core.cards import (
    CARD_POINTS,
    CARDS,
    HAND_SIZE,
    SEATS,
    SUIT_SIZE,
    SUITS,
    bit,
    cards_of,
    count,
    pair_of,
    points_of,
    suit_of,
)
from ..core.deal import mix
from ..core.play import beats
from ..core.scoring import cap_left, ghna_value
from ..core.state import ANSWER, GHNA, State

BUCKETS = 1 << 14
"""The most that the table may have; each holds four entries in one cache line of 64 bytes."""

AGES = (1 << 17) - 1
"""The table tells so many deals apart before it is wiped."""

PLIES = CARDS + 2 * HAND_SIZE
"""More than a deal can have: after each trick two seats may be asked for a Ghna."""

FIELDS = [
    # The table comes first, so that a bucket is one cache line.
    ("table", np.uint64, (BUCKETS, 8)),
    # The cards by seat, all of them together, and their points.
    ("hands", np.int64, SEATS),
    ("rest", np.int64),
    ("left", np.int64),
    # Moves made since the root.
    ("ply", np.int64),
    # The trick: whose turn, how many cards lie there, the suit led, the best card, whose it is, and
    # the points on the table.
    ("seat", np.int64),
    ("place", np.int64),
    ("led", np.int64),
    ("top", np.int64),
    ("winner", np.int64),
    ("pot", np.int64),
    # The deal: what the last trick is worth, and a Ghna by suit.
    ("trump", np.int64),
    ("declaring", np.int64),
    ("last", np.int64),
    ("worth", np.int64, SUITS),
    # Ghna: the suits whose pair can still be declared, who holds each, what is left of the cap (no
    # more than all of them together), and who is asked, -1: nobody.
    ("live", np.int64),
    ("holder", np.int64, SUITS),
    ("cap", np.int64),
    ("asked", np.int64),
    # Effort.
    ("nodes", np.int64),
    ("budget", np.int64),
    ("stopped", np.int64),
    # The table: its words, how many buckets are in use, the age of its entries, and the parts of
    # a key by what is left of a suit, by leader, and by what the deal is.
    ("sequences", np.int32, 1 << SUIT_SIZE),
    ("codes", np.uint64, (SUITS, 1 << SUIT_SIZE)),
    ("leaders", np.uint64, SEATS),
    ("salt", np.uint64),
    ("age", np.int64),
    ("buckets", np.int64),
    # By number of cards left: moves that were good in other positions.
    ("killers", np.int64, (CARDS + 1, 2)),
    # By ply: the key, the move the table knows, the moves and what they brought.
    ("key", np.uint64, PLIES),
    ("hint", np.int64, PLIES),
    ("moves", np.int64, (PLIES, HAND_SIZE)),
    ("values", np.int64, (PLIES, HAND_SIZE)),
]

Int: TypeAlias = Any
"""An int64: NumPy's, which is not Python's, where the compiler does not see it."""

SEARCH = np.dtype((np.record, np.dtype(FIELDS, align=True)))

Search: TypeAlias = Any
"""A record of dtype `SEARCH`."""
Workspace: TypeAlias = npt.NDArray[np.void]
"""SEARCH[1]: what one thread needs to search."""

POINTS = np.tile(CARD_POINTS, SUITS)
TRISS_AND_ACE = 3 << SUIT_SIZE - 2  # within a suit's ten bits: what is above a Ghna pair


def new_workspace() -> Workspace:
    """A workspace whose table is empty and lies at the edge of a cache line."""
    line = 64
    memory = np.zeros(SEARCH.itemsize + line, np.uint8)
    return np.ndarray(1, SEARCH, memory, offset=-memory.ctypes.data % line)


@jit
def prepare(s: Search, state: State) -> None:
    """Make the search ready for positions of the deal of `state`, from this one on.

    A new age of the table begins: what it holds of other deals will not be found again.
    """
    s.trump, s.declaring = state.trump, state.declarer & 1
    s.last = state.rules.last_trick
    s.age += 1
    if s.age > AGES:
        s.age = 1
        s.table[:] = 0
    s.salt = mix(np.uint64(s.age))
    s.killers[:] = -1
    for seat in range(SEATS):
        s.leaders[seat] = mix(np.uint64(seat + 1))
    for suit in range(SUITS):
        s.worth[suit] = ghna_value(state.rules, suit == state.trump)
        _code_suit(s, state, suit)


@jit
def _code_suit(s: Search, state: State, suit: int) -> None:
    """The part of a key that stands for each set of cards left of `suit`.

    What counts is the sequence of their holders, the weakest card first: two bits a card, after a
    leading one.
    """
    cards = (state.hands[0] | state.hands[1] | state.hands[2] | state.hands[3]) & cards_of(suit)
    sequences = s.sequences
    sequences[0] = 1
    s.codes[suit, 0] = 0
    left = cards & -cards
    while left:
        card = left & -left
        holder = np.int64(0)
        for seat in range(1, SEATS):
            if state.hands[seat] & card:
                holder = np.int64(seat)
        place = left >> suit * SUIT_SIZE
        sequence = sequences[place & (place - 1)] << 2 | holder
        sequences[place] = sequence
        s.codes[suit, place] = mix(np.uint64(sequence) | np.uint64(suit + 1) << np.uint64(32))
        left = (left - cards) & cards


@jit
def place(s: Search, state: State) -> None:
    """Put the search at `state`: the play, a Ghna asked, or a concession that will be refused."""
    s.hands[:] = state.hands
    s.rest = s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3]
    s.left = points_of(s.rest)
    s.ply = 0
    s.seat, s.asked = state.seat, -1
    if state.phase == GHNA:
        s.seat, s.asked = state.winner, state.seat
    elif state.phase == ANSWER:
        s.seat = state.seat ^ 2
    s.place = state.played % SEATS
    s.top = s.winner = s.led = -1
    s.pot = 0
    if s.place:
        s.top, s.winner = state.top, state.winner
        s.led = suit_of(state.plays[state.played - s.place])
        for played in range(state.played - s.place, state.played):
            s.pot += POINTS[state.plays[played]]
    _place_ghna(s, state)


@jit
def _place_ghna(s: Search, state: State) -> None:
    s.live = 0
    s.cap = cap_left(state.rules, state.contract, state.ghna_points)
    for suit in range(SUITS):
        s.holder[suit] = -1
        for seat in (s.declaring, s.declaring ^ 2):
            if s.worth[suit] and ghna.may_declare(state, seat, suit):
                s.live |= 1 << suit
                s.holder[suit] = seat
    settle_cap(s)


@jit
def settle_cap(s: Search) -> None:
    """Forget the pairs that the cap no longer lets anybody declare, and a cap above all pairs."""
    total = 0
    for suit in range(SUITS):
        if s.live >> suit & 1:
            if s.worth[suit] > s.cap:
                s.live &= ~(1 << suit)
            else:
                total += s.worth[suit]
    s.cap = min(s.cap, total)


@jit
def offered(s: Search, seat: int) -> int:
    """The suits of the pairs that `seat` may declare, as bits."""
    suits = 0
    for suit in range(SUITS):
        if s.live >> suit & 1 and s.holder[suit] == seat:
            suits |= 1 << suit
    return suits


@jit
def declare(s: Search, suit: int) -> int:
    """The seat asked declares its pair; returns what it is worth."""
    s.ply += 1
    s.asked = -1
    s.live &= ~(1 << suit)
    s.cap -= s.worth[suit]
    settle_cap(s)
    return s.worth[suit]


@jit
def decline(s: Search) -> None:
    """The seat asked declares nothing; after the winner the partner may be asked (§7.5)."""
    s.ply += 1
    partner = s.asked ^ 2
    s.asked = partner if s.asked == s.seat and offered(s, partner) else -1


@jit
def play_card(s: Search, card: int) -> int:
    """The seat plays `card`; returns the points that the declaring team takes with it."""
    s.hands[s.seat] ^= bit(card)
    s.rest ^= bit(card)
    s.left -= POINTS[card]
    s.pot += POINTS[card]
    s.ply += 1
    if s.live and bit(card) & pair_of(suit_of(card)) and s.live >> suit_of(card) & 1:
        s.live &= ~(1 << suit_of(card))
        settle_cap(s)
    if s.place == 0:
        s.led = suit_of(card)
    if s.place == 0 or beats(card, s.top, s.trump):
        s.top, s.winner = card, s.seat
    s.place += 1
    if s.place < SEATS:
        s.seat = (s.seat + 1) % SEATS
        return 0
    return _take(s)


@jit
def _take(s: Search) -> int:
    """The winner takes the trick and leads, unless a Ghna is asked first."""
    s.seat, s.place = s.winner, 0
    gained = s.pot
    s.pot = 0
    if (s.winner ^ s.declaring) & 1:
        return 0
    if s.rest == 0:
        return gained + s.last
    if s.live:
        if offered(s, s.winner):
            s.asked = s.winner
        elif offered(s, s.winner ^ 2):
            s.asked = s.winner ^ 2
    return gained


@jit
def ghna_code(s: Search) -> int:
    """What the table's key must say of the pairs alive: which, how high in their suits, the cap."""
    code = s.live | s.cap << 4
    for suit in range(SUITS):
        if s.live >> suit & 1:
            higher = count(s.rest & cards_of(suit) & (TRISS_AND_ACE << suit * SUIT_SIZE))
            code |= higher << (12 + 2 * suit)
    return code
