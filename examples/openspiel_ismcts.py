"""OpenSpiel's information-set Monte Carlo tree search plays Touti.

    pip install ".[openspiel]"
    python examples/openspiel_ismcts.py

Nothing is learned: the bot searches at every decision, on hands drawn to fit what its seat knows.
"""

from __future__ import annotations

import argparse

import numpy as np
from open_spiel.python.algorithms import ismcts, mcts

from touti_env import agent, arena
from touti_env.adapters.openspiel import BotAgent, ToutiGame

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--simulations", type=int, default=50, help="for each decision")
parser.add_argument("--deals", type=int, default=50, help="duplicate deals of the evaluation")
options = parser.parse_args()


def make_bot(game, chance):
    """A bot for one decision."""
    return ismcts.ISMCTSBot(
        game,
        mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=chance),
        uct_c=2.0,
        max_simulations=options.simulations,
        random_state=chance,
    )


# As in any game of OpenSpiel: one deal, the bot in all four seats.
game = ToutiGame(seed=7)
state = game.new_initial_state()
bot = make_bot(game, np.random.RandomState(7))
while not state.is_terminal():
    state.apply_action(bot.step(state))
print(f"{state}\n\nreturns {state.returns()}\n")

# The bot in both seats of a team, in the arena.
player = BotAgent(make_bot, "ismcts")
for name in ("uniform", "heuristic"):
    print(arena.duplicate(player, agent.load(name), options.deals).table(), "\n")
