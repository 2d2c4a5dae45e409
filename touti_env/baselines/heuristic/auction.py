"""The club player's calls and signals: what a bid promises, what the partner's words add."""

from __future__ import annotations

import numpy as np

from ... import handvalue
from ...core import actions
from ...core._jit import jit
from ...core.actions import ADVISE_PASS, AS, COMPTE, LEVELS, PASS, PLUS_TEN, SKIP
from ...core.cards import SUITS, pair_of
from ...core.state import SILENT, State
from .style import Style

POINTS_TO_TELL = 13  # COMPTE: at least so many, apart from the aces
LITTLE = 8  # stop: fewer than so many, and no ace


@jit
def call(view: State, style: Style) -> int:
    """The bid that promises most, if it promises more than to leave."""
    hand = view.hands[view.viewer]
    best, action = _worth_of_leaving(view, style), _farewell(view)
    talk = _partner_said(view, style) - style.caution
    for level in range(actions.level_of(view.contract) + 1, LEVELS + 1):
        contract = actions.contract_of(level)
        trump = handvalue.best_trump(view.rules, hand, contract)
        expected = handvalue.total(view.rules, hand, trump, contract) + talk
        worth = contract * (2.0 * handvalue.chance_to_make(expected, contract) - 1.0)
        if worth > best:
            best, action = worth, actions.bid_action(level)
    return action


@jit
def _worth_of_leaving(view: State, style: Style) -> float:
    """The score to expect if the standing bid becomes the contract."""
    hand, contract = view.hands[view.viewer], view.contract
    if contract == 0:
        return style.open_value
    if (view.declarer ^ view.viewer) & 1:
        expected = contract + style.they_make
        return float(contract * (1.0 - 2.0 * handvalue.chance_to_make(expected, contract)))
    expected = contract + style.partner_makes + handvalue.support(hand)
    return float(contract * (2.0 * handvalue.chance_to_make(expected, contract) - 1.0))


@jit
def _partner_said(view: State, style: Style) -> float:
    """What the partner's talk adds to the value of the own hand."""
    partner = view.viewer ^ 2
    if view.left_at[partner] < 0:
        return 0.0
    value = 0.0
    word = view.announced[partner] + PASS
    if view.rules.announcements:
        value += style.said_pass if word == PASS else 0.0
        value += style.said_as if word == AS else 0.0
        value += style.said_compte if word == COMPTE else 0.0
    for level in range(1, LEVELS + 1):
        word = view.signals[partner, level] + PASS
        value += style.told_more if word in (AS, COMPTE) else 0.0
        value += style.told_pair if word == PLUS_TEN else 0.0
        value += style.told_stop if word == ADVISE_PASS else 0.0
    return value


@jit
def _farewell(view: State) -> int:
    """How to leave: saying what the hand holds, where the rules let it."""
    hand = view.hands[view.viewer]
    if not view.rules.announcements:
        return PASS
    if handvalue.aces(hand):
        return AS
    return COMPTE if handvalue.side_points(hand) >= POINTS_TO_TELL else PASS


@jit
def signal(view: State) -> int:
    """What the hand holds and has not told yet; `stop` if that is next to nothing."""
    hand = view.hands[view.viewer]
    told = np.zeros(SILENT + 1, np.int64)
    told[view.announced[view.viewer]] += 1
    for level in range(1, LEVELS + 1):
        told[view.signals[view.viewer, level]] += 1
    if handvalue.aces(hand) > told[AS - PASS]:
        return AS
    if handvalue.side_points(hand) >= POINTS_TO_TELL and not told[COMPTE - PASS]:
        return COMPTE
    for suit in range(SUITS):
        if hand & pair_of(suit) == pair_of(suit) and not told[PLUS_TEN - PASS]:
            return PLUS_TEN
    if handvalue.side_points(hand) < LITTLE and told[1:SILENT].sum() == 0:
        return ADVISE_PASS
    return SKIP
