"""The club player's cards and Ghnas, and when the club player gives up.

A lead is judged by a table. In following, the duty to beat leaves no doubt who would be winning the
trick, so that the question is which card to spend on it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...core import actions, ghna, play
from ...core._jit import jit
from ...core.cards import (
    CARD_POINTS,
    SEATS,
    SUITS,
    above,
    bit,
    cards_of,
    count,
    lowest,
    pair_of,
    points_of,
    strength_of,
    suit_of,
)
from ...core.scoring import ghna_value
from ...core.state import State
from ...view import unseen
from .reading import Places, expected, places_of, ruffed, take, top_is_theirs
from .style import Style

Facts: TypeAlias = npt.NDArray[np.float64]
"""The numbers of `describe_lead`, float64[16]."""

NUM_FACTS = 16

# What leading a card brings, in points for the own team: for the declarer, the declarer's partner
# and a defender. Least squares over the leads of 20,000 deals, each card of each lead
# played out (`benchmarks/fit_leads.py`).
LEADS = np.array(
    [
        [-5.47, -3.37, -3.27],  # the chance to take the trick
        [5.77, 7.39, 6.83],  # the same, early in the deal
        [-1.16, -0.84, -0.89],  # the card's points
        [1.04, 0.67, 0.70],  # its points by the chance
        [-2.05, -0.60, -1.82],  # one unseen card is higher
        [-1.07, -1.55, -2.73],  # points / 10 held above it
        [-4.91, -4.02, 0.01],  # it breaks Rey and Cabal
        [3.19, -1.19, 0.63],  # the best card above is theirs
        [1.48, 1.95, -9.05],  # a trump
        [-3.83, -8.32, 16.26],  # a trump, early in the deal
        [-1.05, 1.86, -1.05],  # for each trump of the partner's
        [4.29, -1.45, 1.63],  # a master trump
        [-5.63, -2.27, -8.43],  # a trump, opponents having none
        [0.77, 0.06, 0.46],  # for each card held in the plain suit
        [-1.24, 0.39, -0.54],  # for each unseen card higher, up to 3
        [0.64, 0.18, 0.57],  # its points by the chance of a ruff
    ]
)


@jit
def choose_card(view: State, style: Style) -> int:
    """The legal card worth most."""
    duty, allowed = play.duty(view, view.hands[view.viewer])
    if allowed & (allowed - 1) == 0:
        return lowest(allowed)
    takes_lead = duty in (play.BEAT, play.TRUMP, play.OVERTRUMP)
    places = places_of(view)
    facts = np.empty(NUM_FACTS)
    best, choice = -np.inf, 0
    while allowed:
        card = lowest(allowed)
        allowed &= allowed - 1
        if view.played % SEATS:
            worth = _worth_of_following(view, style, places, card, takes_lead)
        else:
            worth = _worth_of_leading(view, places, card, facts)
        if worth > best:
            best, choice = worth, card
    return choice


@jit
def _worth_of_leading(view: State, places: Places, card: int, facts: Facts) -> float:
    """What the table says of leading `card`."""
    describe_lead(view, places, card, facts)
    role = 2 if (view.viewer ^ view.declarer) & 1 else int(view.viewer != view.declarer)
    worth = 0.0
    for i in range(NUM_FACTS):
        worth += LEADS[i, role] * facts[i]
    return worth


@jit
def describe_lead(view: State, places: Places, card: int, facts: Facts) -> None:
    """Write the facts about leading `card`, in the order of `LEADS`."""
    suit, hand = suit_of(card), view.hands[view.viewer]
    mine, others = hand & cards_of(suit), unseen(view) & cards_of(suit)
    early = 1.0 - 0.1 * (view.played // SEATS)
    chance = take(view, places, suit, card, True, 3)
    points = CARD_POINTS[strength_of(card)]
    higher = count(above(card) & others)
    facts[:] = 0.0
    facts[0] = chance
    facts[1] = chance * early
    facts[2] = points
    facts[3] = chance * points
    facts[4] = higher == 1
    facts[5] = 0.1 * points_of(mine & above(card))
    facts[6] = mine & pair_of(suit) == pair_of(suit) and pair_of(suit) & bit(card) != 0
    facts[7] = top_is_theirs(view, places, others & above(card))
    if suit == view.trump:
        _describe_trump_lead(view, places, chance, early, facts)
        return
    facts[13] = count(mine)
    facts[14] = min(3, higher)
    facts[15] = points * ruffed(view, places, suit)


@jit
def _describe_trump_lead(
    view: State, places: Places, chance: float, early: float, facts: Facts
) -> None:
    """Write the facts about leading a trump."""
    trumps = cards_of(view.trump)
    opponents = (view.viewer + 1) % SEATS, (view.viewer + 3) % SEATS
    facts[8] = 1.0
    facts[9] = early
    facts[10] = expected(view, places, view.viewer ^ 2, trumps)
    facts[11] = chance > 0.999
    facts[12] = (places[0, opponents[0]] | places[0, opponents[1]]) & trumps == 0


@jit
def _worth_of_following(
    view: State, style: Style, places: Places, card: int, takes_lead: bool
) -> float:
    """The trick by the chance to take it, less what `card` would be worth later."""
    place = view.played % SEATS
    led = suit_of(view.plays[view.played - place])
    trick = bit(card)
    for i in range(view.played - place, view.played):
        trick |= bit(view.plays[i])
    ours = takes_lead or (view.winner ^ view.viewer) & 1 == 0
    top = card if takes_lead else view.top
    chance = take(view, places, led, top, ours, SEATS - 1 - place)
    hidden = unseen(view)
    to_come = (style.spare if place < 3 else 0.0) + (style.feed if place == 1 else 0.0)
    points = points_of(trick) + to_come * points_of(hidden) / max(1, count(hidden))
    return (2.0 * chance - 1.0) * points - _worth_of_keeping(view, style, places, card)


@jit
def _worth_of_keeping(view: State, style: Style, places: Places, card: int) -> float:
    """What `card` may bring in a later trick: its points, and the trick it takes."""
    chance = style.hope + (1.0 - style.hope) * take(view, places, suit_of(card), card, True, 3)
    worth = (2.0 * chance - 1.0) * CARD_POINTS[strength_of(card)] + chance * style.tempo
    if (view.viewer ^ view.declarer) & 1:
        worth *= style.defence
    return float(worth + 2.0 * _breaks_ghna(view, card))


@jit
def _breaks_ghna(view: State, card: int) -> int:
    """The value of the Ghna that could still be declared and that playing `card` breaks."""
    suit = suit_of(card)
    if (view.viewer ^ view.declarer) & 1 or pair_of(suit) & bit(card) == 0:
        return 0
    may = ghna.may_declare(view, view.viewer, suit)
    return int(ghna_value(view.rules, suit == view.trump)) if may else 0


@jit
def choose_ghna(view: State) -> int:
    """The Ghna worth most; between equals, the one of the shorter suit, which breaks sooner."""
    best, action = 0, actions.SKIP
    hand = view.hands[view.viewer]
    for suit in range(SUITS):
        if ghna.may_declare(view, view.viewer, suit):
            value = 20 * ghna_value(view.rules, suit == view.trump) + 10
            value -= count(hand & cards_of(suit))
            if value > best:
                best, action = value, actions.GHNA + suit
    return action


@jit
def is_lost(view: State) -> bool:
    """Whether the contract is made by what the declaring team has, so that no card matters."""
    return bool(view.points[view.declarer & 1] + view.ghna_points >= view.contract)
