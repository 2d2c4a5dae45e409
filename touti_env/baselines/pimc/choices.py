"""Which decisions need a search: those with a choice while the contract is still open."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ...core import engine
from ...core._jit import jit
from ...core.actions import CONCEDE, NUM_ACTIONS, SKIP
from ...core.cards import DECK_POINTS, SEATS
from ...core.scoring import ghna_cap
from ...core.state import ANSWER, PLAY, Mask, State, States

Actions: TypeAlias = npt.NDArray[np.int64]

ASK_BIDDER, SEARCH = -1, -2


@jit
def sort_out(views: States, since: int, chosen: Actions) -> None:
    """Write the action for every view that needs no search, else `ASK_BIDDER` or `SEARCH`.

    The bidder is asked for the calls, and for the cards before trick `since`, the first being 1.
    """
    mask = np.empty(NUM_ACTIONS, np.int8)
    for i in range(views.size):
        chosen[i] = _without_search(views[i], since, mask)


@jit
def _without_search(view: State, since: int, mask: Mask) -> int:
    if view.phase < PLAY or view.played < SEATS * (since - 1):
        return ASK_BIDDER
    engine.legal(view, mask)
    made = view.points[view.declarer & 1] + view.ghna_points >= view.contract
    if mask[CONCEDE]:
        if made:
            return CONCEDE  # nothing can be lost by it any more, and nothing won by playing on
        mask[CONCEDE] = 0
        if view.phase == ANSWER:
            return SKIP
    if made or most(view) < view.contract or mask.sum() == 1:
        return int(np.argmax(mask))
    return SEARCH


@jit
def most(view: State) -> int:
    """No total (§9.1) can be greater: all that the defenders have not taken, and the whole cap."""
    open_yet = DECK_POINTS + view.rules.last_trick - view.points[1 - (view.declarer & 1)]
    return int(open_yet + ghna_cap(view.rules, view.contract))
