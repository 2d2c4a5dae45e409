"""Questions about states, put to the search: totals and contracts, of each action, of a whole deal.

Every answer is a pair of bounds, equal if it is known. It is about the total, or, if there is a
`target`, about whether the total reaches it: 1 if so, else 0.

Whoever asks prepares the search for the deal first; one table then serves all questions about it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..core import actions, engine, trump
from ..core._jit import jit
from ..core.actions import CONCEDE, NUM_ACTIONS
from ..core.cards import CARDS, DECK_POINTS, SUITS, CardSet, bit, cards_of, count, points_of
from ..core.state import OVER, PLAY, Mask, State, States
from .moves import fence_of, joined
from .position import POINTS, Int, Search, Workspace, place, prepare
from .search import search

Answers: TypeAlias = npt.NDArray[np.int16]
"""Bounds, int16[..., 2]."""

NONE = -1  # no target, no guess, no such action
STEP = 8  # how far to look further when a guess was wrong


@jit
def any_view(states: States) -> bool:
    """Whether one of the states is a view."""
    for i in range(states.size):
        if states[i].viewer >= 0:
            return True
    return False


@jit
def all_in_play(states: States) -> bool:
    """Whether trump has been named in all of them; the deal may be over."""
    for i in range(states.size):
        if states[i].trump < 0:
            return False
    return True


@jit
def answer(s: Search, state: State, target: Int, guess: Int, nodes: Int) -> tuple[Int, Int]:
    """What is known after about `nodes` positions; a `guess` of the total that is close helps."""
    lower = upper = np.int64(state.total)
    if state.phase != OVER:
        place(s, state)
        s.stopped, s.budget = 0, s.nodes + nodes
        lower = np.int64(state.points[s.declaring]) + state.ghna_points
        upper = lower + s.left + s.pot + s.last + s.cap
        if target != NONE:
            guess = target
        elif guess == NONE:
            guess = lower + estimate(s)
        lower, upper = _narrow(s, lower, upper, guess, target)
    if target == NONE:
        return lower, upper
    return np.int64(lower >= target), np.int64(upper >= target)


@jit
def _narrow(s: Search, lower: Int, upper: Int, guess: Int, target: Int) -> tuple[Int, Int]:
    """Bring the bounds of the total together, or to the same side of the target.

    At first `lower` is what the declaring team has taken.
    """
    taken, rising, falling = lower, False, False
    while lower < upper and (target == NONE or lower < target <= upper):
        bound = min(max(guess, lower + 1), upper)
        value = taken + search(s, bound - taken)
        if s.stopped:
            break
        if value >= bound:
            lower, rising = value, True
        else:
            upper, falling = value, True
        if rising and falling:
            guess = (lower + upper + 1) // 2
        else:
            guess = lower + STEP if rising else upper - STEP
    return lower, upper


@jit
def estimate(s: Search) -> Int:
    """A guess of the points to come, from trumps and points in hand: a fit to solved deals."""
    ours = s.hands[s.declaring] | s.hands[s.declaring ^ 2]
    trumps = s.rest & cards_of(s.trump)
    ahead = 5 * (2 * count(ours & trumps) - count(trumps))
    ahead += 4 * (2 * points_of(ours) - s.left) // 5
    return (s.left + s.pot + s.last) // 2 + ahead + 3 * s.cap // 4


@jit
def ask(ws: Workspace, states: States, made: bool, nodes: Int) -> tuple[Int, Int]:
    """The answer about states[0]: its total, or whether its contract is made."""
    s, state = ws[0], states[0]
    s.nodes = 0
    prepare(s, state)
    return answer(s, state, np.int64(state.contract) if made else NONE, np.int64(NONE), nodes)


@jit
def ask_each(
    ws: Workspace, states: States, made: bool, nodes: Int, child: States, mask: Mask, out: Answers
) -> None:
    """The answers about every action of every state: totals, or whether contracts are made.

    `out` is int16[N, 72, 2], NONE where an action is not legal; `child`, STATE[1], and `mask`,
    int8[72], are overwritten. `nodes` holds for each action by itself.
    """
    ws[0].nodes = 0
    for i in range(states.size):
        prepare(ws[0], states[i])
        _ask_actions(ws[0], states[i], made, nodes, child, mask, out[i])


@jit
def _ask_actions(
    s: Search, state: State, made: bool, nodes: Int, child: States, mask: Mask, out: Answers
) -> None:
    """The answers about every action of a state."""
    target = np.int64(state.contract) if made else np.int64(NONE)
    guess = np.int64(NONE)
    place(s, state)
    hand, fence = np.int64(state.hands[state.seat]), fence_of(s)
    engine.legal(state, mask)
    out[:] = NONE
    for action in range(NUM_ACTIONS):
        if mask[action]:
            twin = _twin_of(s, hand, fence, action)
            if twin >= 0 and mask[twin]:
                out[action] = out[twin]
            elif action == CONCEDE and state.phase == PLAY:
                _refuse(out)
            else:
                child[0] = state
                engine.apply(child[0], action)
                lower, upper = answer(s, child[0], target, guess, nodes)
                out[action, 0], out[action, 1] = lower, upper
                guess = lower if target == NONE else guess


@jit
def _twin_of(s: Search, hand: CardSet, fence: CardSet, card: Int) -> Int:
    """The next weaker card of `hand` if it does exactly the same as `card`, else NONE."""
    if card >= CARDS or POINTS[card]:
        return NONE
    weaker = card - 1
    while weaker >= 0 and not hand & bit(weaker):
        weaker -= 1
    return weaker if weaker >= 0 and joined(s, hand, fence, weaker, card) else NONE


@jit
def _refuse(out: Answers) -> None:
    """A proposal to concede is refused: then the defender plays the card that is best for it."""
    for side in range(2):
        out[CONCEDE, side] = 1 << 14
        for card in range(CARDS):
            if out[card, side] != NONE:
                out[CONCEDE, side] = min(out[CONCEDE, side], out[card, side])


@jit
def follow_best(
    ws: Workspace, states: States, nodes: Int, mask: Mask, out: npt.NDArray[np.int64]
) -> Int:
    """Play states[0] to its end, the first best action each time; returns how many they were.

    `out` takes the actions; states[1] and `mask` are overwritten.
    """
    s, state = ws[0], states[0]
    s.nodes = number = 0
    prepare(s, state)
    goal = answer(s, state, np.int64(NONE), np.int64(NONE), nodes)[0]
    while state.phase != OVER:
        declaring = (state.seat ^ state.declarer) & 1 == 0
        engine.legal(state, mask)
        mask[CONCEDE] = 0
        action = -1
        good = False
        while not good:
            action += 1
            if mask[action]:
                states[1] = state
                engine.apply(states[1], action)
                target = goal if declaring else goal + 1
                good = (answer(s, states[1], target, np.int64(NONE), nodes)[0] == 1) == declaring
        out[number] = action
        number += 1
        engine.apply(state, action)
    return number


@jit
def ask_trumps(ws: Workspace, states: States, nodes: Int, out: npt.NDArray[np.int16]) -> None:
    """The totals of a deal before trump, by team, trump and level of the cap: int16[2, 4, 4].

    states[0] is a deal that has begun, and is overwritten. Where Ghna plays no part, one team gets
    what the other leaves.
    """
    s, state = ws[0], states[0]
    s.nodes = 0
    for suit in range(SUITS):
        without = np.int64(NONE)
        for team in range(2):
            state.declarer = team
            trump.apply(state, actions.TRUMP + suit)
            prepare(s, state)
            if team == 1 and without != NONE:
                without = DECK_POINTS + s.last - without
            total = np.int64(NONE)
            for level in range(4):
                state.contract = actions.contract_of(level + 1)
                place(s, state)
                if s.live:
                    total = answer(s, state, np.int64(NONE), total, nodes)[0]
                else:
                    if without == NONE:
                        without = answer(s, state, np.int64(NONE), total, nodes)[0]
                    total = without
                out[team, suit, level] = total
