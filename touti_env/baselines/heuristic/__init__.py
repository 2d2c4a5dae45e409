"""A good club player: bids what the hand is worth, says what it holds, counts the cards.

* **Auction.** For each contract it weighs what the contract would bring, made or failed, by the
  chance to make it: the hand (`handvalue`), the Ghna that the cap allows, and what the partner has
  said. It bids the best of them, unless leaving what stands promises more.
* **Talk** is truthful. Leaving: `AS` with an ace, `COMPTE` with points but no ace. Signals: `AS`
  for an ace not yet told, `COMPTE` for points not yet told, `+10` for a whole pair, `stop` for a
  hand with next to nothing.
* **Leading** follows a table: what a card brought, on average, in deals played out with every card
  in turn. It says what clubs teach: cash aces, draw trumps while there are some, lead low from what
  is weak, keep Rey and Cabal together, and hold back the Triss whose ace is out.
* **Following** compares what the trick is worth, by the chance that the own team takes it, with
  what the card would be worth later.
* **Ghna**: the one worth most. **Concession**: when the contract is made already.

Where cards may lie it infers from the play: what a seat has shown it lacks, and how many cards it
has left. It needs no chance: the same view always gets the same action.
"""

from __future__ import annotations

import numpy as np

from ... import handvalue
from ...agent import Actions, BatchAgent, Words
from ...core import actions, concession
from ...core._jit import jit
from ...core.actions import CONCEDE, SKIP
from ...core.state import AUCTION, GHNA, PLAY, SIGNAL, TRUMP, State, States
from . import auction, play
from .style import STYLE, Style


@jit
def decide(view: State, word: int) -> int:
    """The action for the viewer of `view`, whose turn it is; `word` is not used."""
    return choose(view, STYLE)


@jit
def choose(view: State, style: Style) -> int:
    """`decide` for a player of another style."""
    phase, hand = view.phase, view.hands[view.viewer]
    if phase == AUCTION:
        return auction.call(view, style)
    if phase == SIGNAL:
        return auction.signal(view)
    if phase == TRUMP:
        return actions.TRUMP + handvalue.best_trump(view.rules, hand, view.contract)
    if phase == PLAY:
        if concession.may_propose(view) and play.is_lost(view):
            return CONCEDE
        return play.choose_card(view, style)
    if phase == GHNA:
        return play.choose_ghna(view)
    return CONCEDE if play.is_lost(view) else SKIP


@jit
def decide_many(views: States, words: Words, chosen: Actions) -> None:
    """`decide` for every view."""
    for i in range(views.size):
        chosen[i] = decide(views[i], words[i])


class Heuristic(BatchAgent):
    """Plays like a good member of a card club."""

    name = "heuristic"

    def act_many(self, views: States, words: Words) -> Actions:
        """Legal action ids, one for each view."""
        chosen = np.empty(views.size, np.int64)
        decide_many(views, words, chosen)
        return chosen


def load() -> Heuristic:
    """The club player; it has no options."""
    return Heuristic()
