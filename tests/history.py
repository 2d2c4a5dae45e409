"""What was said and played, and whether it could have been so with other hands.

The judge is the second rulebook, so nothing here knows how the package draws hands.
"""

import random
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from tests.compare import PHASE_NAMES
from tests.reference import ReferenceDeal
from tests.tables import a_word
from touti_env import Game, Rules
from touti_env.notation import card_names


class Decision(NamedTuple):
    seat: int
    phase: str
    word: str


def walk(rules: str | Rules, seed: int) -> Iterator[tuple[Game, list[Decision]]]:
    """A deal by random words: the game and its history before each decision and at the end."""
    game, chance = Game(rules, seed=seed), random.Random(seed)
    history: list[Decision] = []
    yield game, history
    while not game.deal_over:
        word = a_word(game, chance)
        history.append(Decision(game.seat, PHASE_NAMES[game.phase], word))
        game.push(word)
        yield game, history


def is_hidden(decision: Decision) -> bool:
    """Whether the table did not see it (§7.7, §10.3)."""
    return decision.word in ("no ghna", "concede", "refuse")


def replay(
    hands: Sequence[Collection[str]], dealer: int, rules: Rules, history: Sequence[Decision]
) -> ReferenceDeal | None:
    """The deal after the same public history from other hands; None if it breaks a rule.

    Whoever is asked for a Ghna that the history does not know of declines.
    """
    deal = ReferenceDeal(
        hands,
        dealer,
        signals=rules.signals,
        announcements=rules.announcements,
        concession=rules.concession,
    )
    for seat, phase, word in history:
        if is_hidden(Decision(seat, phase, word)):
            continue
        while deal.phase == "ghna" and (deal.phase, deal.seat) != (phase, seat):
            deal.push("no ghna")
        if deal.seat != seat or word not in deal.legal():
            return None
        deal.push(word)
    return deal


def dealt(state) -> list[list[str]]:
    """The four hands as they were dealt in a full state."""
    return [card_names(int(cards)) for cards in state.dealt]


def held(state) -> list[set[str]]:
    """The four hands as they are in a full state."""
    return [set(card_names(int(cards))) for cards in state.hands]
