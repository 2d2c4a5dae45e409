"""Uniform, except where it would be absurd: it bids and names trump by the hand it holds.

In the auction it bids while the hand reaches a legal bid (`handvalue.highest`, with `margin` points
to spare): any of the bids in reach, all alike. Otherwise it leaves, with any of the words for it.
It names the suit its hand is worth most in, and it never concedes. Signals, cards and Ghnas are as
random as `uniform`'s.
"""

from __future__ import annotations

import numpy as np

from .. import handvalue
from ..agent import Actions, BatchAgent, Words
from ..core import actions, deal, engine
from ..core._jit import jit
from ..core.actions import COMPTE, CONCEDE, NUM_ACTIONS, PASS, SKIP, bid_action, level_of
from ..core.state import ANSWER, AUCTION, PLAY, TRUMP, State, States

MARGIN = 10.0


@jit
def decide(view: State, word: int, margin: float = MARGIN) -> int:
    """A legal action drawn by the random `word`; `margin` as in `Sane`."""
    hand = view.hands[view.viewer]
    if view.phase == TRUMP:
        return actions.TRUMP + handvalue.best_trump(view.rules, hand, view.contract)
    mask = np.empty(NUM_ACTIONS, np.int8)
    engine.legal(view, mask)
    if view.phase == AUCTION:
        reach = level_of(handvalue.highest(view.rules, hand, margin))
        mask[bid_action(reach + 1) : PASS] = 0
        if reach > level_of(view.contract):
            mask[PASS : COMPTE + 1] = 0
    elif view.phase == PLAY:
        mask[CONCEDE] = 0
    elif view.phase == ANSWER:
        return SKIP
    legal = np.flatnonzero(mask)
    return int(legal[deal.below(deal.mix(word), legal.size)])


@jit
def decide_many(views: States, words: Words, margin: float, actions: Actions) -> None:
    """`decide` for every view."""
    for i in range(views.size):
        actions[i] = decide(views[i], words[i], margin)


class Sane(BatchAgent):
    """Bids what it holds, and plays at random.

    Args:
        margin: How many points above a contract the hand must be worth.
    """

    name = "sane"

    def __init__(self, margin: float = MARGIN):
        self.margin = margin

    def act_many(self, views: States, words: Words) -> Actions:
        """Legal action ids, one for each view."""
        actions = np.empty(views.size, np.int64)
        decide_many(views, words, self.margin, actions)
        return actions


def load(margin: float = MARGIN) -> Sane:
    """The sane player; `sane?margin=20` bids more carefully."""
    return Sane(margin)
