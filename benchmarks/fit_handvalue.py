"""Fit the weights of `touti_env/handvalue.py`: `python -m benchmarks.fit_handvalue`.

Random deals; the seat whose hand looks best (give or take some luck, so that no hand is left out)
declares 100 in its best suit, the heuristic player plays the cards for all four, and least squares
explain the declaring team's card points by the facts about the declarer's hand. The weights it
starts from choose the declarers, and the player bids by them: run it again after pasting new ones.
"""

import argparse

import numpy as np

from touti_env import handvalue
from touti_env.agent import load
from touti_env.core import actions, batch
from touti_env.core._jit import jit
from touti_env.core.cards import SEATS, SUITS
from touti_env.core.rules import as_rules
from touti_env.core.state import AUCTION, OVER, SIGNAL, TRUMP, new_states
from touti_env.view import look

LUCK = 10.0  # the standard deviation of what is added to a hand's worth when choosing declarers


def choose(states, rng):
    """The declarer and the trump of every deal."""
    worth = np.empty((states.size, SEATS, SUITS))
    for i, hands in enumerate(states["dealt"]):
        for seat in range(SEATS):
            for trump in range(SUITS):
                worth[i, seat, trump] = handvalue.card_points(hands[seat], trump)
    best = (worth + rng.normal(0, LUCK, worth.shape)).reshape(states.size, -1).argmax(1)
    return best // SUITS, best % SUITS


@jit
def look_all(states, views):
    for i in range(states.size):
        look(states[i], states[i].seat, views[i])


def play_out(states, declarer, trump, agent):
    """Play every deal to its end: the declarer bids 100, the others pass in silence."""
    views, words = new_states(states.size), np.zeros(states.size, np.uint64)
    live = np.arange(states.size)
    while live.size:
        now, seen = states[live], views[: live.size]
        look_all(now, seen)
        chosen = agent.act_many(seen, words[: live.size])
        chosen[now["phase"] == AUCTION] = actions.PASS
        declares = (now["phase"] == AUCTION) & (now["seat"] == declarer[live])
        chosen[declares] = actions.bid_action(actions.level_of(100))
        chosen[now["phase"] == SIGNAL] = actions.SKIP
        chosen[now["phase"] == TRUMP] = actions.TRUMP + trump[live][now["phase"] == TRUMP]
        batch.apply(now, chosen)
        states[live] = now
        live = live[now["phase"] != OVER]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=120_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    states = new_states(arguments.deals)
    states["rules"] = as_rules("standard").record()
    batch.seed_streams(states, arguments.seed)
    batch.new_matches(states)
    declarer, trump = choose(states, np.random.default_rng(arguments.seed))
    play_out(states, declarer, trump, load("heuristic"))

    rows = np.arange(states.size)
    hands = states["dealt"]
    facts = np.empty((states.size, handvalue.NUM_FACTS))
    for i in rows:
        handvalue.describe(hands[i, declarer[i]], trump[i], facts[i])
    points = states["total"] - states["ghna_points"]
    weights = np.linalg.lstsq(facts, points, rcond=None)[0]
    left = points - facts @ weights
    print("weights", weights.round(1).tolist(), "spread", left.std().round(1))

    partner = hands[rows, declarer ^ 2]
    aces = [handvalue.aces(hand) for hand in partner]
    side = [handvalue.side_points(hand) for hand in partner]
    help_facts = np.stack([aces, side, np.ones(states.size)], 1)
    weights = np.linalg.lstsq(help_facts, left, rcond=None)[0]
    spread = (left - help_facts @ weights).std()
    print("help: ace, point, none", weights.round(2).tolist(), "spread", spread.round(1))


if __name__ == "__main__":
    main()
