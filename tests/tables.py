"""Positions and choices in the words of the rulebook, so that tests are tables."""

import random
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.lib.recfunctions import repack_fields

from touti_env import Game, Rules
from touti_env.core import batch
from touti_env.core.cards import CARDS, HAND_SIZE, SEATS
from touti_env.core.state import STATE, State
from touti_env.notation import card_names, parse_card, parse_cards

# Four hands whose only Ghna is seat 2's in bastos.
HANDS = (
    "1O 12O 7O 5O 3C 6C 11E 4E 2E 10B",
    "3O 10O 2O 1C 11C 5C 12E 7E 1B 4B",
    "11O 6O 10C 7C 2C 3E 6E 12B 11B 5B",
    "4O 12C 4C 1E 10E 5E 3B 7B 6B 2B",
)

_WORDS = re.compile(r"trump \w|ghna \w|no ghna|\S+")
_PACKED = repack_fields(np.dtype(STATE), recurse=True)


def words(text: str) -> list[str]:
    """The words of a line: "trump C 7O no ghna" holds three."""
    return _WORDS.findall(text)


def options(text: str) -> set[str]:
    """A set of words; "80..230" stands for the bids from 80 to 230."""
    chosen: set[str] = set()
    for word in words(text):
        low, dots, high = word.partition("..")
        chosen |= {str(bid) for bid in range(int(low), int(high) + 1, 10)} if dots else {word}
    return chosen


def say(game: Game, text: str) -> Game:
    for word in words(text):
        game.push(word)
    return game


def table(
    said: str = "",
    rules: str | Rules = "standard",
    hands: Sequence[str] = HANDS,
    dealer: int = 0,
    score: tuple[int, int] = (0, 0),
) -> Game:
    """A deal after some words; seat 1 opens unless another seat than 0 is the dealer."""
    return say(Game(rules, seed=0, hands=hands, dealer=dealer, score=score), said)


def ending(
    hands: Sequence[str],
    trick: str = "",
    *,
    trump: str = "C",
    contract: int = 100,
    declarer: int = 0,
    leader: int = 0,
    taken: int | None = None,
    ghna: str = "",
    rules: str | Rules = "standard",
) -> Game:
    """The end of a deal: what each seat holds, and the cards on the table from `leader` on.

    All other cards lie in finished tricks. These brought the declaring team `taken` points, or
    everything if that is not said, and the Ghnas of the suits in `ghna`. Nothing has been shown.
    """
    held = [parse_cards(hand) for hand in hands]
    on_table = [parse_card(card) for card in trick.split()]
    for place, card in enumerate(on_table):
        held[(leader + place) % SEATS] |= 1 << card
    size = held[0].bit_count()
    assert [hand.bit_count() for hand in held] == [size] * SEATS, "hands of different sizes"
    away = [card for card in range(CARDS) if not any(hand >> card & 1 for hand in held)]
    assert len(away) == SEATS * (HAND_SIZE - size), "a card is held twice"
    dealt = list(held)
    for place, card in enumerate(away):
        dealt[(leader + place) % SEATS] |= 1 << card
    said = f"pass pass pass {contract} trump {trump}"
    game = table(said, rules, [" ".join(card_names(hand)) for hand in dealt], dealer=declarer)
    finished = HAND_SIZE - size
    state = game.state
    state.hands[:] = held
    state.seat = state.winner = leader
    state.played = len(away)
    state.plays[: len(away)] = away
    state.leaders[: finished + 1] = leader
    state.tricks[:] = [finished * (leader & 1 == team) for team in (0, 1)]
    state.points[:] = points_of(away)
    if taken is not None:
        state.points[declarer & 1] = taken
    state.points[1 - (declarer & 1)] = points_of(away) - state.points[declarer & 1]
    for suit in ghna:
        state.ghna_by["OCEB".index(suit)] = declarer
        state.ghna_trick["OCEB".index(suit)] = 0
        state.ghna_points += 40 if suit == trump else 20
    for card in on_table:
        batch.apply_at(game._states, 0, card)
    return game


def facing(trick: str, hand: str, trump: str = "C") -> Game:
    """A seat that holds `hand` is to play to `trick`, which seat 0 led; others hold anything."""
    place = len(trick.split())
    held = hand.split()
    rest = [card for card in card_names((1 << CARDS) - 1) if card not in held + trick.split()]
    hands = []
    for seat in range(SEATS):
        size = len(held) - (seat < place)
        hands.append(" ".join(held if seat == place else [rest.pop() for _ in range(size)]))
    return ending(hands, trick, trump=trump)


def filled(hands: Sequence[str], keep: str = "") -> list[str]:
    """Four hands made equally long by cards of neither Rey nor Cabal, nor one of `keep`."""
    held = [hand.split() for hand in hands]
    size = max(map(len, held))
    taken = {card for hand in held for card in hand} | set(keep.split())
    rest = [card for card in card_names((1 << CARDS) - 1) if card not in taken]
    rest = [card for card in rest if card[:-1] not in ("11", "12")]
    for hand in held:
        while len(hand) < size:
            hand.append(rest.pop())
    return [" ".join(hand) for hand in held]


def points_of(cards: Sequence[int]) -> int:
    return sum((0, 0, 0, 0, 0, 2, 3, 4, 10, 11)[card % 10] for card in cards)


def content(state: State) -> bytes:
    """All of a state's fields as bytes, the gaps between them left out."""
    return np.asarray(state).astype(_PACKED).tobytes()


def differing(state: State, other: State) -> list[str]:
    """The fields in which two states differ."""
    names = STATE.names or ()
    return [name for name in names if not np.array_equal(state[name], other[name])]


def a_word(game: Game, chance: random.Random) -> str:
    """A legal word at random, `concede` once in 200 turns so that the tricks are reached."""
    legal = game.legal_words()
    if "concede" in legal and "refuse" not in legal and chance.random() > 0.005:
        legal.remove("concede")
    return chance.choice(legal)


def walk(game: Game, chance: random.Random) -> Iterator[str]:
    """Play the deal to its end; yields each word before it is said."""
    while not game.deal_over:
        word = a_word(game, chance)
        yield word
        game.push(word)


def walked(rules: str | Rules, seed: int, plies: int) -> Game:
    """A random deal after `plies` decisions, or at its end if that is sooner."""
    game, chance = Game(rules, seed=seed), random.Random(seed)
    for _ in range(plies):
        if not game.deal_over:
            game.push(a_word(game, chance))
    return game
