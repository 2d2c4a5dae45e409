"""Bids and trumps, judged by playing the deal out: the auction to its end, then the cards.

In each world the bidder takes all four seats from there on. What the team then scores says what a
call is worth, and that takes in what the other seats will say to it. The bidder's own call stands
unless another one promises clearly more.
"""

from __future__ import annotations

from ... import handvalue, notation
from ...agent import Agent
from ...core._jit import jit
from ...core.actions import PASS
from ...core.state import AUCTION, State, States
from .playout import play_out

RAISES = 6  # so many of the next bids are considered
MARGIN = 6  # points a deal by which a call must be better than the bidder's
ONE = 1000  # a point of the score, in the whole numbers that are summed up


def values(worlds: States, usual: int, bidder: Agent) -> dict[int, int]:
    """What each call worth considering brings the seat to act, summed over the worlds.

    Args:
        worlds: Full states in the auction or where trump is named.
        usual: What the bidder would say.
        bidder: Plays the deals out.
    """
    choices = considered(worlds[0], usual)
    finished = play_out(worlds, choices, bidder)
    sums = [expected_score(deals, worlds[0].seat & 1) for deals in finished]
    sums[choices.index(usual)] += ONE * MARGIN * len(worlds)
    return dict(zip(choices, sums, strict=True))


def considered(state: State, usual: int) -> list[int]:
    """The bidder's call, the next few bids, every way to leave; or every trump."""
    legal = notation.legal_actions(state)
    if state.phase != AUCTION:
        return list(legal)
    bids = [action for action in legal if action < PASS]
    return sorted({usual, *bids[:RAISES], *(action for action in legal if action >= PASS)})


@jit
def expected_score(finished: States, team: int) -> int:
    """What `team` scores more than the other, summed, as if the totals were but estimates."""
    score = 0
    for i in range(finished.size):
        contract = finished[i].contract
        if contract:
            chance = handvalue.chance_to_make(finished[i].total, contract)
            worth = int(ONE * contract * (2.0 * chance - 1.0))
            score += worth if finished[i].declarer & 1 == team else -worth
    return score
