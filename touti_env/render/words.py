"""A game in words, as a pure function of a view or a state: what is blank in it is not shown."""

from __future__ import annotations

from ..core.actions import LEVELS, contract_of
from ..core.cards import HAND_SIZE, SEATS, SUITS
from ..core.state import Phase, State
from ..notation import SUIT_LETTERS, SUIT_NAMES, card_name, card_names, signal_name


def text(state: State) -> str:
    """The table in plain text, at most 80 columns: a view shows what its viewer knows."""
    parts = (_heading(state), *_auction(state), *_ghnas(state), *_tricks(state), *_hands(state))
    return "\n".join((*parts, turn(state)))


def _heading(state: State) -> str:
    score = f"score {state.score[0]}:{state.score[1]}, target {state.rules.target}"
    whose = "" if state.viewer < 0 else f", as seat {state.viewer} sees it"
    return f"Touti, {score}, dealer {state.dealer}{whose}"


def calls(state: State, seat: int) -> list[str]:
    """A seat's bids, and the word with which it left the auction."""
    levels = range(1, LEVELS + 1)
    said = [str(contract_of(level)) for level in levels if state.bids[seat] >> level & 1]
    if state.left_at[seat] >= 0:
        said.append(signal_name(state.announced[seat]))
    return said


def signals(state: State, seat: int) -> list[str]:
    """A seat's signals, each with the bid that stood: `AS at 80`."""
    sent = [(int(state.signals[seat, level]), level) for level in range(1, LEVELS + 1)]
    return [f"{signal_name(code)} at {contract_of(level)}" for code, level in sent if code]


def trick(state: State) -> tuple[int, int, list[int]]:
    """The trick on the table, or the last one until the next is led.

    Returns:
        Its number from 0 on, who led it, and its cards in the order played; -1, -1 and no card
        before the first.
    """
    if not state.played:
        return -1, -1, []
    number = (int(state.played) - 1) // SEATS
    cards = state.plays[number * SEATS : int(state.played)]
    return number, int(state.leaders[number]), [int(card) for card in cards]


def _auction(state: State) -> list[str]:
    lines = []
    for seat in range(SEATS):
        sent = [f"({signal})" for signal in signals(state, seat)]
        if said := [*calls(state, seat), *sent]:
            lines.append(f"  seat {seat} said: {' '.join(said)}")
    if state.contract:
        trump = f", trump {SUIT_NAMES[state.trump]}" if state.trump >= 0 else ""
        lines.append(f"  contract {state.contract} by seat {state.declarer}{trump}")
    return lines


def _ghnas(state: State) -> list[str]:
    return [
        f"  seat {state.ghna_by[suit]} declared ghna {SUIT_LETTERS[suit]}"
        f" after trick {state.ghna_trick[suit] + 1}"
        for suit in range(SUITS)
        if state.ghna_by[suit] >= 0
    ]


def _tricks(state: State) -> list[str]:
    lines = []
    for first in range(0, int(state.played), SEATS):
        leader = state.leaders[first // SEATS]
        cards = [card_name(c) for c in state.plays[first : min(first + SEATS, int(state.played))]]
        taken = f"  taken by {state.leaders[first // SEATS + 1]}" if len(cards) == SEATS else ""
        lines.append(f"  trick {first // SEATS + 1:2}, seat {leader} led: {' '.join(cards)}{taken}")
    if state.tricks.any():
        lines.append(
            f"  tricks {state.tricks[0]}:{state.tricks[1]},"
            f" card points {state.points[0]}:{state.points[1]}"
        )
    return lines


def _hands(state: State) -> list[str]:
    return [
        f"  seat {seat}: {' '.join(card_names(int(state.hands[seat]))) or '-'}"
        for seat in range(SEATS)
        if state.viewer in (-1, seat) and state.played < SEATS * HAND_SIZE
    ]


def turn(state: State) -> str:
    """Whose turn it is and for what; when the deal is over, what it came to."""
    if state.phase != Phase.OVER:
        return f"seat {state.seat} to act: {Phase(state.phase).name.lower()}"
    if state.scored < 0:
        return "nobody bid: nobody scores"
    outcome = "made" if state.total >= state.contract else "failed"
    how = " (conceded)" if state.conceded else ""
    return (
        f"total {state.total} of {state.contract}, {outcome}{how}:"
        f" team {state.scored} scores {state.contract}"
    )
