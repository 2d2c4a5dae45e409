"""What an episode is, compiled: when it ends, what it pays, how the next begins.

An episode is a deal, or a match to the target. Rewards are zero-sum and equal within a team. The
AEC environment and `VectorEnv` both stand on these functions.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .core import engine
from .core._jit import jit
from .core.actions import CONCEDE, NUM_ACTIONS
from .core.cards import SEATS
from .core.state import ANSWER, Mask, State
from .options import EnvOptions

GOES_ON, TERMINATED, TRUNCATED = 0, 1, 2

Reward = npt.NDArray[np.float32]


class Terms(NamedTuple):
    """The options of an episode as numbers that compiled code can hold.

    Attributes:
        match: 1 for a match to the target, 0 for a single deal.
        win: 1 to pay ±1 at the end of the episode, 0 to pay ± contract / 100 at the end of each
            deal.
        max_deals: A match is truncated after so many deals; 0: never.
        dealer: The first dealer of every episode, -1 to draw it.
        score_0: The score of team 0 when an episode begins.
        score_1: The score of team 1 when an episode begins.
    """

    match: int = 0
    win: int = 0
    max_deals: int = 0
    dealer: int = -1
    score_0: int = 0
    score_1: int = 0


def terms_of(options: EnvOptions, first: State | None, given: Collection[str] = ()) -> Terms:
    """The terms of an environment with these options.

    Args:
        options: What the environment was made with.
        first: The state after a reset with options, None before any.
        given: Which of the reset's options were given: `dealer` and `score` hold from then on.
    """
    return Terms(
        match=int(options.episode == "match"),
        win=int(options.reward == "win"),
        max_deals=options.max_deals or 0,
        dealer=int(first.dealer) if first is not None and "dealer" in given else -1,
        score_0=int(first.score[0]) if first is not None else 0,
        score_1=int(first.score[1]) if first is not None else 0,
    )


@jit
def begin(state: State, terms: Terms) -> None:
    """Begin the next episode of the game's own stream."""
    engine.new_match(state)
    state.score[0] = terms.score_0
    state.score[1] = terms.score_1
    if terms.dealer >= 0:
        state.dealer = terms.dealer
        engine.begin(state)


@jit
def take(state: State, action: int, terms: Terms, reward: Reward) -> int:
    """Take a legal action; add what it pays to `reward`, float32[4] by seat.

    Returns:
        GOES_ON, TERMINATED or TRUNCATED. At the end of a deal that does not end its match, the next
        deal is begun.
    """
    engine.apply(state, action)
    if not engine.is_over(state):
        return GOES_ON
    if state.scored >= 0 and not terms.win:
        pay(reward, state.scored, state.contract / 100)
    if not terms.match or engine.match_over(state):
        if state.scored >= 0 and terms.win:
            pay(reward, state.scored, 1.0)
        return TERMINATED
    if state.deals == terms.max_deals:
        return TRUNCATED
    engine.next_deal(state)
    return GOES_ON


@jit
def pay(reward: Reward, team: int, amount: float) -> None:
    """Add `amount` to both seats of `team` and take it from the others."""
    for seat in range(SEATS):
        reward[seat] += amount if seat & 1 == team else -amount


@jit
def forced_action(state: State, mask: Mask) -> int:
    """The one action that the seat to act has, or -1 if it has a choice.

    A proposal to concede does not count as a choice: there is always a later turn for it, or no
    use. The answer to one is always a choice.
    """
    engine.legal(state, mask)
    only = -1
    for action in range(NUM_ACTIONS):
        if mask[action] and action != CONCEDE:
            if only >= 0:
                return -1
            only = action
    return -1 if state.phase == ANSWER else only
