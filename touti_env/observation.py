"""A view as numbers in [0, 1]: all that the seat may know, relative to the seat.

Seats are relative: 0 me, 1 the next, 2 my partner, 3 the previous. `TABLE` names each slice of the
vector, `LABELS` each of its numbers, and `describe` reads an observation back in words. The vector
is a function of a view, so it cannot hold what the viewer does not know.

`encode_state` is the same for a critic in training: the seat's observation, then what is hidden
from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .core import engine
from .core._jit import jit
from .core.actions import LEVELS, MAX_BID, contract_of, level_of
from .core.cards import (
    CARD_POINTS,
    CARDS,
    DECK,
    DECK_POINTS,
    HAND_SIZE,
    SEATS,
    SUIT_SIZE,
    SUITS,
    CardSet,
    above,
    bit,
    cards_of,
    count,
    lowest,
    strength_of,
    suit_of,
)
from .core.scoring import ghna_cap
from .core.state import SILENT, STATE, Mask, Phase, State, States
from .notation import CARD_NAMES, SUIT_NAMES
from .symmetry import Order, Orders, canonical_order, relabel
from .view import look, shown_lacking

VERSION = 2
"""Grows whenever the same view could give another vector."""

GHNA_MOST = 100  # no cap is higher
TRICK_MOST = 4 * int(CARD_POINTS.max())
TALK_TRICKS = HAND_SIZE - 1  # a concession may be proposed in all tricks but the last

_SEAT_NAMES = ("me", "next", "partner", "previous")
_OTHERS = _SEAT_NAMES[1:]
_TEAMS = ("ours", "theirs")
_LEVEL_NAMES = tuple(str(contract_of(level)) for level in range(1, LEVELS + 1))
_SAID = ("AS", "COMPTE", "+10", "stop", "silent")
_PHASES = tuple(phase.name.lower() for phase in Phase)
_TRICKS = tuple(f"trick {trick}" for trick in range(1, TALK_TRICKS + 1))
_ONE = ("",)

# A network hardly tells one point from two in a number that goes up to 230. So the last points have
# a number each, before them every fifth.
FINE, COARSE = 50, 5
NEEDS = (*range(FINE), *range(FINE, DECK_POINTS + 10, COARSE))


@dataclass(frozen=True)
class Group:
    """A slice of the observation: its name, the axes that label it, and what its numbers say.

    In a `scale` all numbers are 1 up to some place, and 0 from there on.
    """

    name: str
    axes: tuple[Sequence[str], ...]
    meaning: str
    scale: bool = False

    @property
    def size(self) -> int:
        """How many numbers the group has."""
        return prod(len(axis) for axis in self.axes)


GROUPS = (
    Group("phase", (_PHASES,), "the phase, one-hot"),
    Group("turn", (_SEAT_NAMES,), "whose decision it is, one-hot"),
    Group("hand", (CARD_NAMES,), "the cards I hold"),
    Group("played", (_SEAT_NAMES, CARD_NAMES), "the cards each seat has played"),
    Group("trick_of", (CARD_NAMES,), "the trick a card was played in, 1 to 10, over 10"),
    Group("table", (CARD_NAMES,), "the cards of the trick on the table"),
    Group("top", (CARD_NAMES,), "the card that is winning the trick on the table"),
    Group("winner", (_SEAT_NAMES,), "who is winning it, one-hot"),
    Group("worth", (_ONE,), "the card points in it, over 44"),
    Group("beats", (CARD_NAMES,), "the cards I hold that would be winning it"),
    Group("led", (SUIT_NAMES,), "the suit led, one-hot"),
    Group("leader", (_SEAT_NAMES,), "who leads the trick, one-hot"),
    Group("trump", (SUIT_NAMES,), "the trump suit, one-hot"),
    Group("contract", (_LEVEL_NAMES,), "the standing bid, one-hot"),
    Group("declarer", (_SEAT_NAMES,), "who made it, one-hot"),
    Group("dealer", (_SEAT_NAMES,), "the dealer, one-hot"),
    Group("bids", (_SEAT_NAMES, _LEVEL_NAMES), "the bids each seat has made"),
    Group("out", (_SEAT_NAMES,), "who has left the auction"),
    Group("left_at", (_SEAT_NAMES,), "the level that stood when the seat left, 0 to 17, over 17"),
    Group("announced", (_SEAT_NAMES, _SAID[:2]), "the early announcement each seat has made"),
    Group("signals", (_SEAT_NAMES, _LEVEL_NAMES), "the signal at each level, 1 to 5, over 5"),
    Group("signalled", (_SEAT_NAMES, _SAID), "each seat's latest signal, one-hot"),
    Group("ghna_by", (_SEAT_NAMES, SUIT_NAMES), "the Ghnas each seat has declared"),
    Group("ghna_after", (SUIT_NAMES,), "the trick after which it was declared, over 10"),
    Group("ghna_points", (_ONE,), "the Ghna points declared, over 100"),
    Group("ghna_left", (_ONE,), "what is left of the contract's cap, over 100"),
    Group("tricks", (_TEAMS,), "the tricks taken, over 10"),
    Group("points", (_TEAMS,), "the card points taken, over 120"),
    Group(
        "needs",
        (tuple(f"over {number}" for number in NEEDS),),
        "the declaring team lacks more points than so many: 0, 1, … 49, 50, 55, … 125",
        scale=True,
    ),
    Group("unseen", (CARD_NAMES,), "the cards neither played nor in my hand"),
    Group("masters", (CARD_NAMES,), "the cards I hold that no unseen card of the suit beats"),
    Group("length", (SUIT_NAMES,), "how many cards of a suit I hold, over 10"),
    Group("unseen_length", (SUIT_NAMES,), "how many of a suit are unseen, over 10"),
    Group("lacks", (_OTHERS, CARD_NAMES), "the unseen cards each seat has shown not to hold"),
    Group("proposed", (_ONE,), "a concession was proposed in this turn (defenders only)"),
    Group("proposals", (("mine", "partner's"), _TRICKS), "who proposed when (defenders only)"),
    Group("score", (_TEAMS,), "the match score, over the target + 230"),
)
HIDDEN_GROUPS = (
    Group("true_phase", (_PHASES,), "the phase, the hidden ones included"),
    Group("true_turn", (_SEAT_NAMES,), "whose decision it is, the hidden ones included"),
    Group("hands", (_OTHERS, CARD_NAMES), "the cards each other seat holds"),
    Group("true_proposed", (_ONE,), "a concession was proposed in this turn"),
)


def _table(groups: Sequence[Group], start: int = 0) -> dict[str, slice]:
    """The slice of each group, one after the other."""
    table = {}
    for group in groups:
        table[group.name] = slice(start, start + group.size)
        start += group.size
    return table


TABLE: Final = _table(GROUPS)
SIZE: Final = sum(group.size for group in GROUPS)
HIDDEN_TABLE: Final = _table(HIDDEN_GROUPS, SIZE)
STATE_SIZE: Final = SIZE + sum(group.size for group in HIDDEN_GROUPS)
LABELS: Final = tuple(
    " ".join(filter(None, (group.name, *names)))
    for group in GROUPS
    for names in product(*group.axes)
)

# Where each group begins; compiled code takes them as constants.
_PHASE, _TURN, _HAND = TABLE["phase"].start, TABLE["turn"].start, TABLE["hand"].start
_PLAYED, _TRICK_OF, _TABLE = TABLE["played"].start, TABLE["trick_of"].start, TABLE["table"].start
_TOP, _WINNER, _WORTH = TABLE["top"].start, TABLE["winner"].start, TABLE["worth"].start
_BEATS, _LED, _LEADER = TABLE["beats"].start, TABLE["led"].start, TABLE["leader"].start
_TRUMP, _CONTRACT = TABLE["trump"].start, TABLE["contract"].start
_DECLARER, _DEALER, _BIDS = TABLE["declarer"].start, TABLE["dealer"].start, TABLE["bids"].start
_OUT, _LEFT_AT, _ANNOUNCED = TABLE["out"].start, TABLE["left_at"].start, TABLE["announced"].start
_SIGNALS, _SIGNALLED = TABLE["signals"].start, TABLE["signalled"].start
_GHNA_BY, _GHNA_AFTER = TABLE["ghna_by"].start, TABLE["ghna_after"].start
_GHNA_POINTS, _GHNA_LEFT = TABLE["ghna_points"].start, TABLE["ghna_left"].start
_TRICKS_WON, _POINTS, _UNSEEN = TABLE["tricks"].start, TABLE["points"].start, TABLE["unseen"].start
_NEEDS = TABLE["needs"].start
_MASTERS, _LENGTH = TABLE["masters"].start, TABLE["length"].start
_UNSEEN_LENGTH, _LACKS = TABLE["unseen_length"].start, TABLE["lacks"].start
_PROPOSED = TABLE["proposed"].start
_PROPOSALS, _SCORE = TABLE["proposals"].start, TABLE["score"].start
_TRUE_PHASE, _TRUE_TURN = HIDDEN_TABLE["true_phase"].start, HIDDEN_TABLE["true_turn"].start
_HANDS, _TRUE_PROPOSED = HIDDEN_TABLE["hands"].start, HIDDEN_TABLE["true_proposed"].start

Vector: TypeAlias = npt.NDArray[np.float32]


@jit
def encode(view: State, out: Vector) -> None:
    """Write the observation of a view's viewer to `out`, float32[SIZE]."""
    out[:SIZE] = 0
    _encode_turn(view, out)
    _encode_cards(view, out)
    _encode_auction(view, out)
    _encode_ghna(view, out)
    _encode_standing(view, out)


@jit
def _one(out: Vector, start: int, index: Any) -> None:
    """Set number `index` of the group that begins at `start`."""
    out[start + np.int64(index)] = 1


@jit
def _set(out: Vector, start: int, cards: CardSet) -> None:
    """Set the numbers of a set of cards, or of another bit mask."""
    while cards:
        out[start + lowest(cards)] = 1
        cards &= cards - 1


@jit
def _relative(view: State, seat: int) -> Any:
    """`seat` as the viewer counts: 0 me, 1 the next, 2 my partner, 3 the previous."""
    return (np.int64(seat) - view.viewer) % SEATS


@jit
def _encode_turn(view: State, out: Vector) -> None:
    _one(out, _PHASE, view.phase)
    if view.seat >= 0:
        _one(out, _TURN, _relative(view, view.seat))
    _one(out, _DEALER, _relative(view, view.dealer))
    if view.trump >= 0:
        _one(out, _TRUMP, view.trump)
    if view.contract:
        _one(out, _CONTRACT, level_of(view.contract) - 1)
        _one(out, _DECLARER, _relative(view, view.declarer))


@jit
def _encode_cards(view: State, out: Vector) -> None:
    _set(out, _HAND, view.hands[view.viewer])
    begun = view.played // SEATS * SEATS
    rest = np.int64(DECK) & ~view.hands[view.viewer]
    for place in range(view.played):
        card: Any = np.int64(view.plays[place])
        rest &= ~bit(card)
        player = _relative(view, view.leaders[place // SEATS] + place)
        _one(out, _PLAYED, player * CARDS + card)
        out[_TRICK_OF + card] = np.float32(place // SEATS + 1) / HAND_SIZE
        if place >= begun:
            _one(out, _TABLE, card)
    if view.played > begun:
        _encode_trick(view, begun, out)
    if view.trump >= 0 and view.played < CARDS:
        _one(out, _LEADER, _relative(view, view.leaders[begun // SEATS]))
    _set(out, _UNSEEN, rest)
    _encode_suits(view.hands[view.viewer], rest, out)
    for other in range(1, SEATS):
        lacking = shown_lacking(view, (view.viewer + other) % SEATS)
        _set(out, _LACKS + (other - 1) * CARDS, rest & lacking)


@jit
def _encode_trick(view: State, begun: int, out: Vector) -> None:
    """The trick on the table, begun by play number `begun`."""
    _one(out, _TOP, view.top)
    _one(out, _WINNER, _relative(view, view.winner))
    _one(out, _LED, suit_of(view.plays[begun]))
    worth = 0
    for place in range(begun, view.played):
        worth += CARD_POINTS[strength_of(view.plays[place])]
    out[_WORTH] = np.float32(worth) / TRICK_MOST
    better = above(view.top)
    if suit_of(view.top) != view.trump:
        better |= cards_of(view.trump)
    _set(out, _BEATS, view.hands[view.viewer] & better)


@jit
def _encode_suits(hand: CardSet, rest: CardSet, out: Vector) -> None:
    """Of each suit: my masters, and how many cards are mine and unseen."""
    for suit in range(SUITS):
        mine, others = hand & cards_of(suit), rest & cards_of(suit)
        out[_LENGTH + suit] = np.float32(count(mine)) / SUIT_SIZE
        out[_UNSEEN_LENGTH + suit] = np.float32(count(others)) / SUIT_SIZE
        while mine:
            best = mine ^ (mine & (mine - 1))
            mine ^= best
            if others < best:
                out[_MASTERS + lowest(best)] = 1


@jit
def _encode_auction(view: State, out: Vector) -> None:
    for relative in range(SEATS):
        seat = (view.viewer + relative) % SEATS
        _set(out, _BIDS + relative * LEVELS, view.bids[seat] >> 1)
        if view.left_at[seat] >= 0:
            out[_OUT + relative] = 1
            out[_LEFT_AT + relative] = np.float32(view.left_at[seat]) / LEVELS
            _encode_talk(view, seat, relative, out)


@jit
def _encode_talk(view: State, seat: int, relative: int, out: Vector) -> None:
    """What a seat that has left the auction announced then and has signalled since."""
    if view.announced[seat]:
        _one(out, _ANNOUNCED + relative * 2, view.announced[seat] - 1)
    latest = 0
    for level in range(max(view.left_at[seat], 1), level_of(view.contract) + 1):
        code = view.signals[seat, level]
        if code:
            out[_SIGNALS + relative * LEVELS + level - 1] = np.float32(code) / SILENT
            latest = code
    if latest:
        _one(out, _SIGNALLED + relative * SILENT, latest - 1)


@jit
def _encode_ghna(view: State, out: Vector) -> None:
    for suit in range(SUITS):
        if view.ghna_by[suit] >= 0:
            _one(out, _GHNA_BY, _relative(view, view.ghna_by[suit]) * SUITS + suit)
            out[_GHNA_AFTER + suit] = np.float32(view.ghna_trick[suit] + 1) / HAND_SIZE
    out[_GHNA_POINTS] = np.float32(view.ghna_points) / GHNA_MOST
    if view.contract:
        left = ghna_cap(view.rules, view.contract) - view.ghna_points
        out[_GHNA_LEFT] = np.float32(left) / GHNA_MOST


@jit
def _encode_standing(view: State, out: Vector) -> None:
    out[_PROPOSED] = view.proposed
    for side in range(2):
        team = (view.viewer + side) & 1
        out[_TRICKS_WON + side] = np.float32(view.tricks[team]) / HAND_SIZE
        out[_POINTS + side] = np.float32(view.points[team]) / DECK_POINTS
        out[_SCORE + side] = np.float32(view.score[team]) / (view.rules.target + MAX_BID)
        talk = view.proposals[(view.viewer + 2 * side) % SEATS]
        _set(out, _PROPOSALS + side * TALK_TRICKS, talk)
    if view.contract:
        lacking = view.contract - view.points[view.declarer & 1] - view.ghna_points
        number = max(min(lacking, FINE), 0) + max(lacking - FINE + COARSE - 1, 0) // COARSE
        out[_NEEDS : _NEEDS + min(number, len(NEEDS))] = 1


@jit
def encode_state(state: State, seat: int, out: Vector) -> None:
    """Write all of a full state, relative to `seat`, to `out`, float32[STATE_SIZE].

    The seat's own observation comes first, then what is hidden from it; never the random stream.
    """
    _encode_seen(state, seat, np.empty(1, STATE), out)
    out[SIZE:STATE_SIZE] = 0
    _one(out, _TRUE_PHASE, state.phase)
    if state.seat >= 0:
        _one(out, _TRUE_TURN, (np.int64(state.seat) - seat) % SEATS)
    for other in range(1, SEATS):
        _set(out, _HANDS + (other - 1) * CARDS, state.hands[(seat + other) % SEATS])
    out[_TRUE_PROPOSED] = state.proposed


@jit
def _encode_seen(state: State, seat: int, scratch: States, out: Vector) -> None:
    # A record does not keep its array alive in compiled code: the array is the caller's.
    look(state, seat, scratch[0])
    encode(scratch[0], out)


@jit
def observe(view: State, canonical: bool, order: Order, mask: Mask, out: Vector) -> None:
    """Write what the viewer of `view` sees and may do, in its canonical suits if asked for.

    The view itself is relabelled, and `order` (int8[4]) tells how.
    """
    if canonical:
        canonical_order(view, order)
        relabel(view, order)
    engine.legal(view, mask)
    encode(view, out)


@jit
def observe_all(views: States, canonical: bool, orders: Orders, masks: Mask, out: Vector) -> None:
    """`observe` every one of `views`: `orders` int8[N, 4], `masks` int8[N, 72], `out` [N, SIZE]."""
    for i in range(views.size):
        observe(views[i], canonical, orders[i], masks[i], out[i])


def describe(observation: Vector) -> str:
    """An observation in words: a line for each group that says anything.

    Raises:
        ValueError: It is not of shape (SIZE,).
    """
    if np.shape(observation) != (SIZE,):
        raise ValueError(f"observation of shape {np.shape(observation)}; ({SIZE},) is valid")
    lines = []
    for group in GROUPS:
        labels = [" ".join(names) for names in product(*group.axes)]
        values = observation[TABLE[group.name]]
        said = [
            label if value == 1 and label else f"{label} {value:.3g}".strip()
            for label, value in zip(labels, values, strict=True)
            if value
        ]
        if said:
            said = said[-1:] if group.scale else said
            lines.append(f"{group.name}: {', '.join(said)}")
    return "\n".join(lines)
