"""Fit the table of leads in `baselines/heuristic/play.py`: `python -m benchmarks.fit_leads`.

In random deals under a plausible contract, every card of every lead is played out by the heuristic
player for all four seats. Least squares then explain what a card brings, compared with the other
cards of that lead, by the facts about it. The player that plays out leads by the table, so run it
again after pasting new weights, until they settle (three times did).
"""

import argparse

import numpy as np
from numba import njit

from touti_env import handvalue
from touti_env.baselines import heuristic
from touti_env.baselines.heuristic import play as leading
from touti_env.baselines.heuristic import reading
from touti_env.core import actions, deal, engine, play
from touti_env.core.cards import SEATS, SUITS, lowest
from touti_env.core.rules import as_rules
from touti_env.core.state import AUCTION, PLAY, SIGNAL, new_states
from touti_env.view import look

LEADS_A_DEAL = 60  # cards looked at in a deal, at most: leads of ten to two cards


@njit
def begin(state):
    """A deal in which the best hand has bid what it is worth, the others silent."""
    engine.new_match(state)
    best, declarer, trump = -1.0, 0, 0
    for seat in range(SEATS):
        for suit in range(SUITS):
            worth = handvalue.total(state.rules, state.dealt[seat], suit, 100)
            if worth > best:
                best, declarer, trump = worth, seat, suit
    contract = min(max(int(best + 2) // 10 * 10, 80), actions.MAX_BID)
    while state.phase in (AUCTION, SIGNAL):
        bids = state.seat == declarer and state.phase == AUCTION
        silence = actions.PASS if state.phase == AUCTION else actions.SKIP
        bid = actions.bid_action(actions.level_of(contract))
        engine.apply(state, bid if bids else silence)
    engine.apply(state, actions.TRUMP + trump)


@njit
def play_out(state, view):
    while not engine.is_over(state):
        look(state, state.seat, view)
        engine.apply(state, heuristic.decide(view, 0))


@njit
def collect(states, views, seed, deals, facts, gains, leads):
    """Facts, outcomes and (lead, role) of every card of every lead; returns how many."""
    state, branch, view = states[0], states[1], views[0]
    rows = number = 0
    for i in range(deals):
        deal.seed_stream(state, deal.game_key(seed, i))
        begin(state)
        while not engine.is_over(state):
            look(state, state.seat, view)
            if state.phase == PLAY and state.played % 4 == 0 and state.played < 36:
                places, cards = reading.places_of(view), play.cards(view)
                defends = (view.viewer ^ view.declarer) & 1
                while cards:
                    card = lowest(cards)
                    cards &= cards - 1
                    leading.describe_lead(view, places, card, facts[rows])
                    states[1] = states[0]
                    engine.apply(branch, card)
                    play_out(branch, views[1])
                    gains[rows] = -branch.total if defends else branch.total
                    leads[rows, 0] = number
                    leads[rows, 1] = 2 if defends else int(view.viewer != view.declarer)
                    rows += 1
                number += 1
            engine.apply(state, heuristic.decide(view, 0))
    return rows


def centred(values, lead):
    """Values less their mean over the cards of the same lead."""
    sums = np.stack([np.bincount(lead, column) for column in values.T], 1)
    return values - (sums / np.bincount(lead)[:, None])[lead]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    states, views = new_states(2), new_states(2)
    states["rules"] = as_rules("standard").record()
    size = arguments.deals * LEADS_A_DEAL
    facts, gains = np.empty((size, leading.NUM_FACTS)), np.empty((size, 1))
    leads = np.empty((size, 2), np.int64)
    rows = collect(states, views, arguments.seed, arguments.deals, facts, gains, leads)
    lead, role = leads[:rows].T
    facts, gains = centred(facts[:rows], lead), centred(gains[:rows], lead)
    by_role = [
        np.linalg.lstsq(facts[role == r], gains[role == r], rcond=None)[0][:, 0] for r in range(3)
    ]
    for row in np.stack(by_role, 1).round(2).tolist():
        print(f"        {row},")


if __name__ == "__main__":
    main()
