"""The score of a deal (docs/rules.md §9) and the caps on Ghna (§7.3).

The numbers alone, with no state: the score calculator asks the same functions as the engine.
"""

from __future__ import annotations

from ._jit import jit
from .actions import level_of
from .rules import Rules
from .state import OVER, State


@jit
def ghna_cap(rules: Rules | State, contract: int) -> int:
    """The most Ghna points a team may score at `contract` (§7.3)."""
    return rules.ghna_caps[min(level_of(contract), 4) - 1]


@jit
def ghna_value(rules: Rules | State, is_trump: bool) -> int:
    """What one Ghna is worth (§7.1)."""
    return rules.ghna_trump if is_trump else rules.ghna_plain


@jit
def cap_left(rules: Rules | State, contract: int, ghna: int) -> int:
    """What is left of the cap after Ghnas worth `ghna` (§7.3)."""
    return ghna_cap(rules, contract) - ghna


@jit
def whole_pairs(rules: Rules | State, left: int, trump: int, plain: int) -> int:
    """At a concession: what `trump` and `plain` whole pairs bring, at most `left` (§8.5)."""
    best = 0
    for trumps in range(trump + 1):
        for plains in range(plain + 1):
            worth = trumps * ghna_value(rules, True) + plains * ghna_value(rules, False)
            if worth <= left:
                best = max(best, worth)
    return best


@jit
def total_of(rules: Rules | State, points: int, won_last: bool, ghna: int) -> int:
    """The declaring team's total: card points, last trick, Ghna (§9.1)."""
    return points + (rules.last_trick if won_last else 0) + ghna


@jit
def scorer(contract: int, total: int, declaring: int) -> int:
    """The team that scores the contract (§9.2, §9.3)."""
    return declaring if total >= contract else 1 - declaring


@jit
def wins_match(rules: Rules | State, score: int) -> bool:
    """Whether a team with this match score has won (§2.1)."""
    return score >= rules.target


@jit
def settle(state: State, last: int) -> None:
    """End the deal: the total, who scores, the match score (§9); team `last` has the last trick."""
    declaring = state.declarer & 1
    points = state.points[declaring]
    state.total = total_of(state.rules, points, last == declaring, state.ghna_points)
    state.scored = scorer(state.contract, state.total, declaring)
    state.score[state.scored] += state.contract
    state.phase = OVER
    state.seat = -1


@jit
def cancel(state: State) -> None:
    """End a deal that nobody bid: nobody scores (§3.7)."""
    state.phase = OVER
    state.seat = -1
