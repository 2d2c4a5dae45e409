"""The engine's verbs over an array of states."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import deal, engine
from ._jit import jit
from .state import Mask, States


@jit
def seed_streams(states: States, seed: int) -> None:
    """Put game i at the beginning of the stream (seed, i)."""
    for i in range(states.size):
        deal.seed_stream(states[i], deal.game_key(seed, i))


@jit
def seed_words(words: npt.NDArray[np.uint64], seed: int) -> None:
    """Begin the streams of `sample`, unrelated to the games' own."""
    for i in range(words.size):
        words[i] = deal.mix(~deal.game_key(seed, i))


@jit
def new_matches(states: States) -> None:
    """Begin a match in every game, on its own stream."""
    for i in range(states.size):
        engine.new_match(states[i])


@jit
def begin(states: States) -> None:
    """Begin the auction in every game, on the hands in `dealt`."""
    for i in range(states.size):
        engine.begin(states[i])


@jit
def legal(states: States, masks: Mask) -> None:
    """Write the mask of every state; `masks` is int8[N, 72]."""
    for i in range(states.size):
        engine.legal(states[i], masks[i])


@jit
def apply(states: States, actions: npt.NDArray[np.int64]) -> None:
    """Take one legal action in every state; `actions` is int[N]."""
    for i in range(states.size):
        engine.apply(states[i], actions[i])


@jit
def legal_at(states: States, i: int, mask: Mask) -> None:
    """`engine.legal` of one state: from Python an array and an index cross faster than a record."""
    engine.legal(states[i], mask)


@jit
def apply_at(states: States, i: int, action: int) -> None:
    """`engine.apply` to one state."""
    engine.apply(states[i], action)


@jit
def next_deal_at(states: States, i: int) -> None:
    """`engine.next_deal` in one state."""
    engine.next_deal(states[i])


@jit
def sample(masks: Mask, words: npt.NDArray[np.uint64], actions: npt.NDArray[np.int64]) -> None:
    """A uniform legal action for every row of `masks`; `words`, uint64[N], are its streams."""
    for i in range(masks.shape[0]):
        words[i] += deal.STEP
        legal_here = 0
        for action in range(masks.shape[1]):
            legal_here += masks[i, action]
        skip = deal.below(deal.mix(words[i]), legal_here)
        action = 0
        while masks[i, action] == 0 or skip > 0:
            skip -= masks[i, action]
            action += 1
        actions[i] = action
