"""Any library's policy as an Agent: what it needs is a function from observations to actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..agent import Actions, BatchAgent, Words
from ..core.actions import NUM_ACTIONS
from ..core.state import Mask, States, copy_states
from ..observation import SIZE, Vector, observe_all
from ..symmetry import true_actions

Choose: TypeAlias = Callable[[Vector, Mask], npt.ArrayLike]
"""Of observations float32[N, F] and masks int8[N, 72]: legal actions, int[N]."""


class PolicyAgent(BatchAgent):
    """Shows a policy what the environments show it, and plays what it answers.

    Args:
        choose: The policy. On duplicate deals it scores 0 against itself if it is a function of the
            observation alone, such as the likeliest action.
        name: What tables call it.
        canonical_suits: Whether it was trained so.
    """

    def __init__(self, choose: Choose, name: str, canonical_suits: bool = False) -> None:
        self.choose = choose
        self.name = name
        self.canonical_suits = canonical_suits

    def act_many(self, views: States, words: Words) -> Actions:
        """The policy's action ids, int64[N], in the table's suits."""
        number = len(views)
        observations = np.empty((number, SIZE), np.float32)
        masks = np.empty((number, NUM_ACTIONS), np.int8)
        orders = np.tile(np.arange(4, dtype=np.int8), (number, 1))
        observe_all(copy_states(views), self.canonical_suits, orders, masks, observations)
        actions = np.asarray(self.choose(observations, masks), np.int64)
        return true_actions(actions, orders)
