"""Every word of the game and the number it stands for, both ways.

| what | words |
|---|---|
| suits | `O` oros, `C` copas, `E` espadas, `B` bastos |
| cards | rank and suit: `1O`, `12C` |
| auction | `70` ... `230`, `pass`, `AS`, `COMPTE` |
| signals | `AS`, `COMPTE`, `+10`, `stop`, `silent` |
| trump | `trump C` |
| Ghna | `ghna C`, `no ghna` |
| concession | `concede`, `refuse` |

The same id may be another word in another phase (SKIP is `silent`, `no ghna` or `refuse`), so
`parse` and `name` ask for the phase.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from .core import actions, engine
from .core.actions import NUM_ACTIONS, PASS, SKIP
from .core.cards import CARDS, HAND_SIZE, RANKS, SEATS, SUIT_SIZE
from .core.state import SILENT, Phase, State

SUIT_LETTERS = "OCEB"
SUIT_NAMES = ("oros", "copas", "espadas", "bastos")

CARD_NAMES = tuple(f"{rank}{suit}" for suit in SUIT_LETTERS for rank in RANKS)
_CARD_IDS = {name: card for card, name in enumerate(CARD_NAMES)}

_CALLS = ("pass", "AS", "COMPTE", "+10", "stop")
_SKIPS = {Phase.SIGNAL: "silent", Phase.GHNA: "no ghna", Phase.ANSWER: "refuse"}
_ALIASES = {
    Phase.SIGNAL: {"pass": "stop", "skip": "silent"},
    Phase.TRUMP: {suit: f"trump {suit}" for suit in SUIT_LETTERS},
    Phase.GHNA: {**{suit: f"ghna {suit}" for suit in SUIT_LETTERS}, "skip": "no ghna"},
    Phase.ANSWER: {"skip": "refuse"},
}


_SUIT = f"a suit of {' '.join(SUIT_LETTERS)}"
_CARD = f"a rank of {' '.join(map(str, sorted(RANKS)))} and {_SUIT}"
_VALID = {
    Phase.AUCTION: "70, 80, ... 230, pass, AS and COMPTE are valid",
    Phase.SIGNAL: "AS, COMPTE, +10, stop and silent are valid",
    Phase.TRUMP: f"trump and {_SUIT} are valid",
    Phase.PLAY: f"a card, such as 1O, is valid: {_CARD}",
    Phase.GHNA: f"ghna and {_SUIT}, or no ghna, are valid",
    Phase.ANSWER: "concede and refuse are valid",
    Phase.OVER: "the deal is over",
}


class IllegalAction(ValueError):  # noqa: N818 - the public contract's name
    """An action that the rules forbid now; the message names the rule and what is legal."""


def count_of(number: int, what: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{number:,} {what}" + "s" * (number != 1)


def card_name(card: int) -> str:
    """`1O` for the ace of oros."""
    return CARD_NAMES[card]


def parse_card(word: str) -> int:
    """The card that a word names, whatever its case.

    Raises:
        ValueError: There is no such card.
    """
    card = _CARD_IDS.get(word.strip().upper())
    if card is None:
        raise ValueError(f"{word!r} is no card; {_CARD} are valid")
    return card


def card_names(cards: int) -> list[str]:
    """The names of a set of cards (a mask), by suit, strongest first."""
    held = [card for card in range(CARDS) if cards >> card & 1]
    return [CARD_NAMES[card] for card in sorted(held, key=lambda c: (c // SUIT_SIZE, -c))]


def parse_cards(cards: str | Iterable[str | int]) -> int:
    """The set (a mask) of cards given as ids or words, or as one string of words.

    Raises:
        ValueError: A card is unknown or named twice.
    """
    mask = 0
    for card in cards.split() if isinstance(cards, str) else cards:
        number = parse_card(card) if isinstance(card, str) else int(card)
        if not 0 <= number < CARDS:
            raise ValueError(f"{card!r} is no card; ids 0 to {CARDS - 1} are valid")
        if mask >> number & 1:
            raise ValueError(f"{CARD_NAMES[number]} is named twice")
        mask |= 1 << number
    return mask


def parse_hands(hands: Iterable[str | Iterable[str | int]]) -> list[int]:
    """Four hands of ten cards each, as masks by seat (§1.7).

    Raises:
        ValueError: Not four hands of ten, or a card is unknown or dealt twice.
    """
    masks = [parse_cards(hand) for hand in hands]
    if len(masks) != SEATS:
        raise ValueError(f"{SEATS} hands are needed, not {len(masks)}")
    seen = 0
    for seat, mask in enumerate(masks):
        if mask.bit_count() != HAND_SIZE:
            raise ValueError(
                f"seat {seat} has {count_of(mask.bit_count(), 'card')}; "
                f"{HAND_SIZE} are dealt to each seat"
            )
        if seen & mask:
            raise ValueError(f"{' '.join(card_names(seen & mask))} is in two hands")
        seen |= mask
    return masks


@cache
def name(action: int, phase: int) -> str:
    """The word for an action id in a phase.

    Raises:
        ValueError: The id does not exist.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action} does not exist; 0 to {NUM_ACTIONS - 1} are valid")
    if action < actions.BID:
        return CARD_NAMES[action]
    if action < PASS:
        return str(actions.contract_of(actions.bid_level(action)))
    if action < actions.TRUMP:
        return _CALLS[action - PASS]
    if action < actions.GHNA:
        return f"trump {SUIT_LETTERS[action - actions.TRUMP]}"
    if action < SKIP:
        return f"ghna {SUIT_LETTERS[action - actions.GHNA]}"
    return "concede" if action == actions.CONCEDE else _SKIPS.get(Phase(phase), "skip")


@cache
def _words(phase: Phase) -> dict[str, int]:
    """Every word understood in a phase, in lower case."""
    words = {name(action, phase).lower(): action for action in range(NUM_ACTIONS)}
    for alias, word in _ALIASES.get(phase, {}).items():
        words[alias.lower()] = words[word.lower()]
    return words


def parse(word: str, phase: int) -> int:
    """The action id that a word means in a phase, whatever its case.

    Raises:
        ValueError: The word means nothing then.
    """
    action = _words(Phase(phase)).get(" ".join(word.lower().split()))
    if action is None:
        phase = Phase(phase)
        raise ValueError(f"{word!r} is no word of the {phase.name.lower()} phase; {_VALID[phase]}")
    return action


def signal_name(code: int) -> str:
    """The word for a code in `state.signals` or `state.announced`."""
    return "silent" if code == SILENT else _CALLS[code]


def legal_actions(state: State) -> list[int]:
    """The legal action ids, in order; empty when the deal is over."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    engine.legal(state, mask)
    return [int(action) for action in np.flatnonzero(mask)]
