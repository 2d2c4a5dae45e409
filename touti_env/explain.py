"""Why an action is illegal: the rule it breaks, and the cards that oblige.

Every error message and every screen asks here; what the rules demand is asked of the core.

>>> from touti_env import Game
>>> game = Game(seed=7)
>>> game.push("80")
>>> str(explain(game.state, 40))
'a bid must beat the standing 80 (§3.1)'
"""

from __future__ import annotations

from dataclasses import dataclass

from . import notation
from .core import actions, concession, ghna, play, scoring
from .core.actions import NUM_ACTIONS, PASS, SKIP
from .core.cards import CARDS, SEATS, CardSet, cards_of, pair_of, suit_of
from .core.state import Phase, State
from .notation import SUIT_NAMES, IllegalAction, card_name, card_names


@dataclass(frozen=True)
class Reason:
    """Why an action is illegal.

    Attributes:
        rule: The paragraph of docs/rules.md, such as `6.3`.
        text: What it demands here, of "it": the seat to act.
        cards: The cards held that oblige, in notation, strongest first; none where no card does.
    """

    rule: str
    text: str
    cards: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text} (§{self.rule})"


def explain(state: State, action: int) -> Reason | None:
    """Why the seat to act may not take `action`; None if it may.

    Args:
        state: A full state, or the view of the seat to act.
        action: Any integer.

    Raises:
        ValueError: `state` is a view in which the hand of the seat to act is hidden.
    """
    phase = Phase(state.phase)
    if phase != Phase.OVER and state.viewer not in (-1, state.seat):
        raise ValueError(
            f"explain: seat {state.seat} is to act, and the view of seat {state.viewer} does not "
            f"show its hand; view(state, {state.seat}) or a full state is valid"
        )
    if action in notation.legal_actions(state):
        return None
    if not 0 <= action < NUM_ACTIONS:
        return Reason("2.5", f"action ids are 0 to {NUM_ACTIONS - 1}")
    return _WHY[phase](state, action)


def require_legal(state: State, action: int) -> None:
    """Raise unless the seat to act may take `action`; the arguments are those of `explain`.

    Raises:
        IllegalAction: It may not; the message names action, seat, rule and what is legal.
    """
    reason = explain(state, action)
    if reason is None:
        return
    phase = Phase(state.phase)
    word = notation.name(action, phase) if 0 <= action < NUM_ACTIONS else "no such action"
    legal = [notation.name(choice, phase) for choice in notation.legal_actions(state)]
    raise IllegalAction(
        f"seat {state.seat} may not take action {action} ({word}): {reason}; "
        f"legal: {' '.join(legal) or 'none'}"
    )


def _why_in_auction(state: State, action: int) -> Reason:
    if actions.BID <= action < PASS:
        return Reason("3.1", f"a bid must beat the standing {state.contract}")
    if action in (actions.AS, actions.COMPTE):
        return Reason("3.9", "this variant has no announcements: it bids or passes")
    if action in (actions.PLUS_TEN, actions.ADVISE_PASS):
        return Reason("4.1", "only a partner who is out signals: it bids, passes or announces")
    return Reason("3.2", "it is its turn in the auction: it bids, passes or announces")


def _why_at_signal(state: State, action: int) -> Reason:
    if actions.BID <= action <= PASS:
        return Reason("3.2", "it is out of the auction; a signal is due: send one or stay silent")
    return Reason("4.2", "a signal is due: send one or stay silent")


def _why_at_trump(state: State, action: int) -> Reason:
    return Reason("5.1", "the declarer names trump")


def _why_in_play(state: State, action: int) -> Reason:
    if action == actions.CONCEDE:
        return _CONCESSION[concession.Bar(concession.why_not(state))]
    if action >= CARDS:
        return Reason("6.1", "it is its turn to play a card")
    return _why_card(state, action)


def _why_card(state: State, card: int) -> Reason:
    """The duty that a card would break, told with the cards of the table and of the hand."""
    duty = play.Duty(play.why_not(state, card))
    if duty == play.Duty.NOT_HELD:
        return Reason("6.1", f"it does not hold {card_name(card)}")
    hand = state.hands[state.seat]
    led = suit_of(int(state.plays[state.played - state.played % SEATS]))
    best, trump = card_name(state.top), f"trumps ({SUIT_NAMES[state.trump]})"
    if duty == play.Duty.FOLLOW:
        held = _names(hand & cards_of(led))
        return Reason("6.2", f"it holds {' '.join(held)} of the suit led and must follow", held)
    if duty == play.Duty.TRUMP:
        held = _names(hand & cards_of(state.trump))
        return Reason("6.4", f"it has no {SUIT_NAMES[led]} but {trump} and must trump", held)
    held = _names(play.cards(state))
    able = f"it can beat {best}, the best"
    text, rule = {
        play.Duty.BEAT: (f"{able} card of the suit led, and must", "6.3"),
        play.Duty.OVERTRUMP: (f"{able} trump, and must", "6.5"),
        play.Duty.UNDERTRUMP: (
            f"it has no {SUIT_NAMES[led]} and must trump, even below {best}",
            "6.5",
        ),
    }[duty]
    return Reason(rule, text, held)


def _names(cards: CardSet) -> tuple[str, ...]:
    return tuple(card_names(int(cards)))


def _why_at_ghna(state: State, action: int) -> Reason:
    if not actions.GHNA <= action < SKIP:
        return Reason("7.5", "it is asked for a Ghna: declare or decline")
    suit = action - actions.GHNA
    pair = " and ".join(_names(pair_of(suit)))
    worth = scoring.ghna_value(state.rules, suit == state.trump)
    left = scoring.cap_left(state.rules, state.contract, state.ghna_points)
    return {
        ghna.Bar.NOT_WHOLE: Reason("7.4", f"it does not hold both {pair}"),
        ghna.Bar.DECLARED: Reason("7.2", f"the Ghna of {pair} was declared before"),
        ghna.Bar.OVER_CAP: Reason(
            "7.3", f"this Ghna is worth {worth}, and {left} are left of the cap"
        ),
    }[ghna.Bar(ghna.why_not(state, state.seat, suit))]


def _why_at_answer(state: State, action: int) -> Reason:
    return Reason("8.2", "it answers a concession: concede or refuse")


def _why_when_over(state: State, action: int) -> Reason:
    return Reason("9", "the deal is over")


_WHY = {
    Phase.AUCTION: _why_in_auction,
    Phase.SIGNAL: _why_at_signal,
    Phase.TRUMP: _why_at_trump,
    Phase.PLAY: _why_in_play,
    Phase.GHNA: _why_at_ghna,
    Phase.ANSWER: _why_at_answer,
    Phase.OVER: _why_when_over,
}
_CONCESSION = {
    concession.Bar.NO_SUCH_RULE: Reason("8.7", "this variant has no concession"),
    concession.Bar.DECLARING: Reason("8.1", "only defenders may propose to concede"),
    concession.Bar.LAST_TRICK: Reason("8.1", "in the last trick it is too late to concede"),
    concession.Bar.REFUSED: Reason("8.1", "it proposed in this turn, and was refused"),
}
