"""Deals that the viewer takes to be possible: drawn from its view, weighed by what others did.

`resample` draws among all deals that fit the play. What the other seats said and played makes some
of them likelier, and the bidder that `pimc` is handed knows how much.

A bidder may say at once how likely each seat holds each card, by a method `belief(view)` that gives
float32[4, 40], or None where it cannot tell (`net` learned it). A deal's weight is then the product
over the unseen cards, to the power `SHARPNESS`: cards that come together are counted apart.

Any other bidder is asked: had a seat held the drawn hand, would it have done as it did? A deal
loses weight with each answer that differs, never all of it, since others may play by other lights.

| the bidder would have | weight |
|---|---|
| done the same | 1 |
| bid something else | `OTHER_BID` a step, at least `CLASH` |
| left with another word, signalled something else | `OTHER_WORD` |
| left where the seat bid, bid where it left, named another trump | `CLASH` |
| played another card | `OTHER_CARD` |
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...agent import Agent, act_many
from ...core import actions, batch, engine, play
from ...core._jit import jit
from ...core.actions import LEVELS, PASS, SKIP, TRUMP, bid_action, level_of
from ...core.cards import SEATS, SUITS, lowest
from ...core.deal import word_at
from ...core.state import AUCTION, GHNA, PLAY, SIGNAL, SILENT, STATE, State, States, copy_states
from ...view import draw_unseen, look

Weights: TypeAlias = npt.NDArray[np.float64]
Likely: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

OTHER_BID, OTHER_WORD, CLASH, OTHER_CARD = 0.6, 0.5, 0.15, 0.5
SHARPNESS = 1.5
NEVER = 1e-6  # no card is less likely than that

# So many deals are drawn for each one kept: weighing them is cheap, or is not.
MANY, SOME = 16, 4


def draw(view: State, word: int, number: int, bidder: Agent | None) -> States:
    """Full states that fit `view`, STATE[number], in the order of no preference.

    Args:
        view: What the seat to act knows, in the play.
        word: The chance: the same word draws the same states.
        number: How many.
        bidder: Who judges what the others did; None takes all deals alike.
    """
    likely = believed(view, bidder) if bidder else None
    surplus = 1 if bidder is None else SOME if likely is None else MANY
    drawn = np.empty(number * surplus, STATE)
    drawn[:] = view
    key = word >> 1  # as `resample`, one kind of integer
    if not draw_unseen(drawn, key):
        raise ValueError("pimc: no distribution of the unseen cards fits the view")
    if bidder is None:
        return drawn
    weights = plausible(view, drawn, bidder) if likely is None else credible(view, drawn, likely)
    lots = np.empty(len(drawn))
    _draw_lots(~key, lots)
    # The greatest lots ** (1 / weight) are a sample by weight without repetition.
    return drawn[np.argsort(np.log(lots) / weights, kind="stable")[: -number - 1 : -1]]


def believed(view: State, bidder: Agent) -> Likely | None:
    """How likely each seat holds each card, float64[4, 40], if the bidder can tell."""
    belief = getattr(bidder, "belief", None)
    likely = None if belief is None else belief(view)
    return None if likely is None else np.maximum(np.asarray(likely, np.float64), NEVER)


def credible(view: State, drawn: States, likely: Likely) -> Weights:
    """How well each drawn deal fits what is believed, float64[N]; 1 for the one that fits best."""
    weights = np.zeros(len(drawn))
    _add_logs(view, drawn, SHARPNESS * np.log(likely), weights)
    worth: Weights = np.maximum(np.exp(weights - weights.max()), NEVER)
    return worth


@jit
def _add_logs(view: State, drawn: States, logs: Likely, sums: Weights) -> None:
    """Add up, for each deal, the logs of the cards that the other seats hold."""
    for i in range(drawn.size):
        for seat in range(SEATS):
            held = drawn[i].hands[seat] if seat != view.viewer else np.int64(0)
            while held:
                sums[i] += logs[seat, lowest(held)]
                held &= held - 1


def plausible(view: State, drawn: States, bidder: Agent) -> Weights:
    """How well each drawn deal explains what the other seats said and played, float64[N]."""
    replay = copy_states(drawn)
    batch.begin(replay)
    views = np.zeros(len(replay), STATE)
    words = np.zeros(len(replay), np.uint64)
    rows = np.empty(len(replay), np.int64)
    weights = np.ones(len(replay))
    while replay[0].phase < PLAY:
        call = said(view, replay[0])
        if replay[0].seat != view.viewer:
            _look(replay, views)
            _weigh_calls(np.asarray(act_many(bidder, views, words), np.int64), call, weights)
        batch.apply(replay, np.full(len(replay), call))
    for card in view.plays[: view.played].tolist():
        if number := _to_choices(view, replay, rows, views):
            cards = act_many(bidder, views[:number], words[:number])
            _weigh_cards(np.asarray(cards, np.int64), card, rows, weights)
        batch.apply(replay, np.full(len(replay), card))
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
def _weigh_calls(calls: Ints, call: int, weights: Weights) -> None:
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
def _to_choices(view: State, states: States, rows: Ints, views: States) -> int:
    """Bring the deals, all of them as far, to the next card of `view`'s play.

    Returns in how many of them another seat than the viewer has a choice there: in `rows[k]`, which
    it sees as `views[k]`.
    """
    number = 0
    for i in range(states.size):
        while states[i].phase == GHNA:
            engine.apply(states[i], declared(view, states[i]))
        seat = states[i].seat
        allowed = play.duty(states[i], states[i].hands[seat])[1]
        if seat != view.viewer and allowed & (allowed - 1):
            look(states[i], seat, views[number])
            rows[number] = i
            number += 1
    return number


@jit
def declared(view: State, state: State) -> int:
    """What the seat asked for a Ghna in `state`, a moment of the same play, declared then."""
    for suit in range(SUITS):
        if view.ghna_by[suit] == state.seat and view.ghna_trick[suit] == state.played // SEATS - 1:
            return actions.GHNA + suit
    return SKIP


@jit
def _weigh_cards(cards: Ints, card: int, rows: Ints, weights: Weights) -> None:
    """Take weight from the deals of `rows` in which the bidder would have played another card."""
    for k in range(cards.size):
        if cards[k] != card:
            weights[rows[k]] *= OTHER_CARD


@jit
def _draw_lots(key: int, lots: Weights) -> None:
    """Numbers in (0, 1], each from its own word of the stream `key`."""
    for i in range(lots.size):
        lots[i] = (np.float64(word_at(key, i) >> np.uint64(11)) + 1.0) * 2.0**-53
