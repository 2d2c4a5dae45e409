"""Deals that the viewer takes to be possible: drawn from its view, weighed by what was said.

`resample` draws among all deals that fit the play. What was said in the auction makes some of them
likelier: had a seat held the drawn hand, would it have called as it did? The bidder that `pimc` is
handed answers. A deal loses weight with each call that the bidder would not have made, never all
of it, since others may bid by other lights.

| the bidder would have said | weight |
|---|---|
| the same | 1 |
| another bid | `OTHER_BID` a step, at least `CLASH` |
| another word on leaving, another signal | `OTHER_WORD` |
| to leave where the seat bid, to bid where it left, another trump | `CLASH` |
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...agent import Agent, act_many
from ...core import batch
from ...core._jit import jit
from ...core.actions import LEVELS, PASS, SKIP, TRUMP, bid_action, level_of
from ...core.deal import word_at
from ...core.state import AUCTION, PLAY, SIGNAL, SILENT, STATE, State, States, copy_states
from ...view import draw_unseen, look

Weights: TypeAlias = npt.NDArray[np.float64]
Actions: TypeAlias = npt.NDArray[np.int64]

OTHER_BID, OTHER_WORD, CLASH = 0.6, 0.5, 0.15
LAVISH = 8  # so many deals are drawn for each one kept


def draw(view: State, word: int, number: int, bidder: Agent | None) -> States:
    """Full states that fit `view`, STATE[number], in the order of no preference.

    Args:
        view: What the seat to act knows, in the play.
        word: The chance: the same word draws the same states.
        number: How many.
        bidder: Who judges the calls; None takes all deals alike.
    """
    drawn = np.empty(number * (LAVISH if bidder else 1), STATE)
    drawn[:] = view
    key = word >> 1  # as `resample`, one kind of integer
    if not draw_unseen(drawn, key):
        raise ValueError("pimc: no distribution of the unseen cards fits the view")
    if bidder is None:
        return drawn
    weights = plausible(view, drawn, bidder)
    lots = np.empty(len(drawn))
    _draw_lots(~key, lots)
    # The greatest lots ** (1 / weight) are a sample by weight without repetition.
    return drawn[np.argsort(np.log(lots) / weights, kind="stable")[: -number - 1 : -1]]


def plausible(view: State, drawn: States, bidder: Agent) -> Weights:
    """How well each drawn deal explains the calls of the other seats, float64[N]."""
    replay = copy_states(drawn)
    batch.begin(replay)
    views = np.zeros(len(replay), STATE)
    words = np.zeros(len(replay), np.uint64)
    weights = np.ones(len(replay))
    while replay[0].phase < PLAY and replay[0].seat >= 0:
        call = said(view, replay[0])
        if replay[0].seat != view.viewer:
            _look(replay, views)
            _weigh(np.asarray(act_many(bidder, views, words), np.int64), call, weights)
        batch.apply(replay, np.full(len(replay), call))
    return weights


@jit
def said(view: State, state: State) -> int:
    """What the seat to act in `state`, a moment of the same auction, said then."""
    seat, level = state.seat, level_of(state.contract)
    if state.phase == SIGNAL:
        code = view.signals[seat, level]
        return SKIP if code in (0, SILENT) else int(PASS + code)
    if state.phase != AUCTION:
        return int(TRUMP + view.trump)
    for higher in range(level + 1, LEVELS + 1):
        if view.bids[seat] >> higher & 1:
            return bid_action(higher)
    return int(PASS + view.announced[seat])


@jit
def _look(states: States, views: States) -> None:
    for i in range(states.size):
        look(states[i], states[i].seat, views[i])


@jit
def _weigh(calls: Actions, call: int, weights: Weights) -> None:
    """Take weight from the deals whose call, by the bidder, is another than the true one."""
    for i in range(calls.size):
        if calls[i] == call:
            continue
        if call < PASS and calls[i] < PASS:
            weights[i] *= max(CLASH, OTHER_BID ** abs(calls[i] - call))
        elif call < PASS or calls[i] < PASS or TRUMP <= call < SKIP:
            weights[i] *= CLASH
        else:
            weights[i] *= OTHER_WORD


@jit
def _draw_lots(key: int, lots: Weights) -> None:
    """Numbers in (0, 1], each from its own word of the stream `key`."""
    for i in range(lots.size):
        lots[i] = (np.float64(word_at(key, i) >> np.uint64(11)) + 1.0) * 2.0**-53
