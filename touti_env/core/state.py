"""One game as one NumPy record; a batch is an array of them.

Copying, comparing, saving and hashing a game are then what NumPy does with records. Every field is
a plain number: seats, suits and cards are -1 (or 0 where 0 is impossible) while they are unknown.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .actions import LEVELS
from .cards import CARDS, HAND_SIZE, SEATS, SUITS
from .rules import RULES


class Phase(IntEnum):
    """What kind of decision comes next, in the order of the game."""

    AUCTION = 0
    SIGNAL = 1
    TRUMP = 2
    PLAY = 3
    GHNA = 4
    ANSWER = 5  # a concession was proposed, the other defender answers
    OVER = 6


# The compiled code compares and stores plain ints.
AUCTION, SIGNAL, TRUMP, PLAY, GHNA, ANSWER, OVER = (int(phase) for phase in Phase)

FIELDS = [
    ("rules", RULES),
    # The random stream: word n of a game is a function of (key, n); `drawn` words are used up.
    ("key", np.uint64),
    ("drawn", np.uint64),
    # Whose view this is; -1: a full state.
    ("viewer", np.int8),
    # The match (§2); `deals` of it have begun.
    ("deals", np.int32),
    ("dealer", np.int8),
    ("score", np.int16, 2),
    # The turn.
    ("phase", np.int8),
    ("seat", np.int8),
    # The cards, as masks by seat: as dealt, and still held.
    ("dealt", np.int64, SEATS),
    ("hands", np.int64, SEATS),
    # The auction (§3, §4). Bit L of `bids`: the seat bid level L. `left_at`: the level that stood
    # when the seat left, -1 while it is in. Announcements and signals: action - PASS, SILENT for
    # silence.
    ("contract", np.int16),
    ("declarer", np.int8),
    ("bids", np.int32, SEATS),
    ("left_at", np.int8, SEATS),
    ("announced", np.int8, SEATS),
    ("signals", np.int8, (SEATS, LEVELS + 1)),
    # The play (§5, §6). `plays` holds the cards in order, `leaders` who led each trick (entry 10:
    # who won the last). `top`: the card winning the trick on the table, and `winner` who played it.
    ("trump", np.int8),
    ("played", np.int8),
    ("plays", np.int8, CARDS),
    ("leaders", np.int8, HAND_SIZE + 1),
    ("top", np.int8),
    ("winner", np.int8),
    ("points", np.int16, 2),
    ("tricks", np.int8, 2),
    # What the play has shown: the seat holds no card of the suit of this strength or more.
    ("ceiling", np.int8, (SEATS, SUITS)),
    # Ghnas declared (§7), by suit: by whom and after which trick.
    ("ghna_by", np.int8, SUITS),
    ("ghna_trick", np.int8, SUITS),
    ("ghna_points", np.int16),
    # Concession (§8). Bit t of `proposals`: the seat proposed in trick t; `proposed`: in this turn.
    ("proposed", np.int8),
    ("proposals", np.int16, SEATS),
    ("conceded", np.int8),
    # The end of the deal (§9): the declaring team's total, and the team that scores the contract.
    ("total", np.int16),
    ("scored", np.int8),
]

STATE = np.dtype((np.record, np.dtype(FIELDS, align=True)))

SILENT = 5  # a signal declined; 1..4 are AS, COMPTE, PLUS_TEN, ADVISE_PASS

State: TypeAlias = Any
"""A record of dtype `STATE`; NumPy's stubs do not know a record's attributes."""
States: TypeAlias = npt.NDArray[np.void]
"""An array of `STATE` records."""
Mask: TypeAlias = npt.NDArray[np.int8]
"""An array of `NUM_ACTIONS` int8, 1 where an action is legal."""


def copy_states(states: States) -> States:
    """An independent copy of an array of states."""
    # By bytes: NumPy's own copy goes through a record field by field, which takes 40 times as long.
    copied: States = np.ndarray(states.shape, STATE, bytearray(states.tobytes()))
    return copied


def new_states(number: int) -> States:
    """`number` blank states, each a game that has not begun."""
    states = np.zeros(number, STATE)
    states["viewer"] = -1
    states["phase"] = OVER
    return states
