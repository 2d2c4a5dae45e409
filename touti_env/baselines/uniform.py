"""Every legal action alike.

The floor of every table. At the auction it bids far too high (half of all the bids that are still
legal, on average), so that whoever lets it play wins by a mile; `sane` is the milder yardstick.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..agent import Actions, BatchAgent, Words
from ..core import deal, engine
from ..core._jit import jit
from ..core.actions import NUM_ACTIONS
from ..core.state import State, States


@jit
def decide(view: State, word: int) -> int:
    """A legal action drawn by the random `word`."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    engine.legal(view, mask)
    legal = np.flatnonzero(mask)
    return int(legal[deal.below(deal.mix(word), legal.size)])


@jit
def decide_many(views: States, words: Words, actions: Actions) -> None:
    """`decide` for every view."""
    for i in range(views.size):
        actions[i] = decide(views[i], words[i])


class Uniform(BatchAgent):
    """Chooses among its legal actions, all alike."""

    name = "uniform"

    def act_many(self, views: States, words: Words) -> Actions:
        """Legal action ids, one for each view."""
        actions = np.empty(views.size, np.int64)
        decide_many(views, words, actions)
        return actions

    def probs(self, view: State) -> npt.NDArray[np.float32]:
        """The probability of every action, float32[72], 0 for illegal ones."""
        mask = np.empty(NUM_ACTIONS, np.int8)
        engine.legal(view, mask)
        return (mask / np.float32(mask.sum())).astype(np.float32)


def load() -> Uniform:
    """The uniform player; it has no options."""
    return Uniform()
