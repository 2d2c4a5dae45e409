"""The whole game as a machine of phases: begin, legal, apply, is_over.

The only file that knows every phase. The core trusts its caller: `apply` takes a legal action, and
those who stand at the edge (`Game.push`, `notation`, `step`) check.
"""

from __future__ import annotations

from . import auction, concession, deal, ghna, play, scoring, trump
from ._jit import jit
from .actions import CONCEDE, NUM_ACTIONS
from .cards import HAND_SIZE, SUIT_SIZE
from .state import ANSWER, AUCTION, GHNA, OVER, PLAY, SIGNAL, TRUMP, Mask, State


@jit
def new_match(state: State) -> None:
    """A match at 0:0: the first dealer drawn, the first deal begun (§2)."""
    state.score[:] = 0
    state.deals = 1
    deal.first_dealer(state)
    deal.shuffle(state)
    begin(state)


@jit
def next_deal(state: State) -> None:
    """The deal passes to the next seat, after a cancelled deal too (§2.2)."""
    state.deals += 1
    state.dealer = deal.next_dealer(state.dealer)
    deal.shuffle(state)
    begin(state)


@jit
def begin(state: State) -> None:
    """Begin the auction on the hands in `dealt`; the seat after the dealer opens (§2.3)."""
    state.viewer = -1
    state.phase = AUCTION
    state.seat = deal.opener_of(state.dealer)
    state.hands[:] = state.dealt
    state.contract = state.total = state.played = state.ghna_points = 0
    state.declarer = state.trump = state.top = state.winner = state.scored = -1
    state.bids[:] = 0
    state.left_at[:] = -1
    state.announced[:] = 0
    state.signals[:] = 0
    state.plays[:] = -1
    state.leaders[:] = -1
    state.points[:] = 0
    state.tricks[:] = 0
    state.ceiling[:] = SUIT_SIZE
    state.ghna_by[:] = -1
    state.ghna_trick[:] = -1
    state.proposed = state.conceded = 0
    state.proposals[:] = 0


@jit
def legal(state: State, mask: Mask) -> None:
    """Write 1 in `mask` (int8[72]) for every action that the seat to act may take, else 0."""
    mask[:NUM_ACTIONS] = 0
    phase = state.phase
    if phase == AUCTION:
        auction.legal(state, mask)
    elif phase == SIGNAL:
        auction.legal_signals(state, mask)
    elif phase == TRUMP:
        trump.legal(state, mask)
    elif phase == PLAY:
        play.legal(state, mask)
        if concession.may_propose(state):
            mask[CONCEDE] = 1
    elif phase == GHNA:
        ghna.legal(state, mask)
    elif phase == ANSWER:
        concession.legal(state, mask)


@jit
def apply(state: State, action: int) -> None:
    """Take a legal action and move on to the next decision, or to the end of the deal."""
    phase = state.phase
    if phase == AUCTION:
        auction.apply(state, action)
        if state.seat < 0:
            scoring.cancel(state)
    elif phase == SIGNAL:
        auction.apply_signal(state, action)
    elif phase == TRUMP:
        trump.apply(state, action)
    elif phase == PLAY:
        _apply_play(state, action)
    elif phase == GHNA:
        ghna.apply(state, action)
    elif phase == ANSWER and concession.apply(state, action):
        ghna.credit_whole_pairs(state)
        play.sweep(state, state.declarer & 1)
        scoring.settle(state, state.declarer & 1)


@jit
def _apply_play(state: State, action: int) -> None:
    """A card, or a proposal to concede; after a trick, the score or a Ghna may follow."""
    if action == CONCEDE:
        concession.propose(state)
        return
    state.proposed = 0
    if play.apply(state, action):
        if state.tricks[0] + state.tricks[1] == HAND_SIZE:
            scoring.settle(state, state.winner & 1)
        elif (state.winner ^ state.declarer) & 1 == 0 and not ghna.ask(state, state.winner):
            ghna.ask(state, state.winner ^ 2)


@jit
def is_over(state: State) -> bool:
    """Whether the deal has ended."""
    return state.phase == OVER


@jit
def match_over(state: State) -> bool:
    """Whether a team has reached the target (§2.1)."""
    return scoring.wins_match(state.rules, max(state.score[0], state.score[1]))
