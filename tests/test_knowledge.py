"""What the play shows that a seat does not hold, and what a declared Ghna shows that it does."""

import numpy as np
import pytest

from tests.history import held, walk
from tests.tables import facing, say, table
from tests.test_ghna import SECOND, scene
from touti_env import resample, view
from touti_env.notation import CARD_NAMES


def gone(text: str) -> set[str]:
    """A set of cards: "C" is all of a suit, "O>7" what beats the 7O, and "1E" that card."""
    cards_gone: set[str] = set()
    for word in text.split():
        suit, above, rank = word.partition(">")
        cards = [card for card in CARD_NAMES if card[-1] == suit]
        cards_gone |= set(cards[cards.index(rank + suit) + 1 :] if above else cards or [word])
    return cards_gone


def lacking(state, seat: int) -> set[str]:
    """The cards that a seat has been shown not to hold, whoever has them."""
    return {
        card
        for number, card in enumerate(CARD_NAMES)
        if number % 10 >= state.ceiling[seat, number // 10]
    }


def shown_by(game, seat: int, on_table: str) -> set[str]:
    """The same without the cards that everyone sees on the table."""
    return lacking(game.state, seat) - set(on_table.split())


# Trump is copas; the seat that plays the card holds it and 2B.
SHOWS = [
    ("leading", "", "1E", ""),
    ("6.3 following above the best", "7O", "10O", ""),
    ("6.3 following below the best", "7O", "4O", "O>7"),
    ("6.3 following below the best, not the last", "4O 12O 5O", "6O", "O>12"),
    ("6.3 below the ace: nothing", "1O", "4O", ""),
    ("6.3 below the Triss: no ace", "3O", "2O", "1O"),
    ("6.3 below, beside a discard", "7O 1E", "4O", "O>7"),
    ("6.3 trumped: following below", "7O 2C", "4O", ""),
    ("6.3 trumped: following above", "7O 2C", "1O", ""),
    ("6.3 trumps led: below", "7C", "4C", "C>7"),
    ("6.3 trumps led: above", "7C", "10C", ""),
    ("6.3 trumps led, a discard since: below", "7C 1E", "4C", "C>7"),
    ("6.4 trumping", "7O", "2C", "O"),
    ("6.4 trumping after a discard", "7O 1E", "2C", "O"),
    ("6.5 overtrumping", "7O 2C", "4C", "O"),
    ("6.5 undertrumping", "7O 10C", "4C", "O C>10"),
    ("6.5 undertrumping the best of two", "7O 2C 10C", "4C", "O C>10"),
    ("6.5 undertrumping the ace", "7O 1C", "4C", "O"),
    ("6.6 discarding", "7O", "1E", "O C"),
    ("6.6 discarding on a trump", "7O 2C", "1E", "O C"),
    ("6.6 discarding on a trump lead", "7C", "1E", "C"),
]


@pytest.mark.parametrize(
    ("trick", "card", "shown"), [pytest.param(*row, id=case) for case, *row in SHOWS]
)
def test_what_a_card_shows(trick, card, shown):
    game = facing(trick, f"{card} 2B")
    seat = game.seat
    before = game.state.ceiling.copy()
    game.push(card)
    assert shown_by(game, seat, f"{trick} {card}") == gone(shown) - set(trick.split()) - {card}
    others = [other for other in range(4) if other != seat]
    assert (game.state.ceiling[others] == before[others]).all()


def test_what_was_shown_adds_up():
    """The lower of two ceilings holds, and each seat has its own."""
    game = table("pass pass pass 70 trump C")
    say(game, first := "2O 6O 4O 1O")  # seat 3 cannot beat the 6
    assert shown_by(game, 3, first) == gone("O>6") - {"1O"}
    for seat in (0, 1, 2):
        assert lacking(game.state, seat) == set()
    say(game, "5O 10O 11O 4C")  # from seat 0 on; seat 3 has no coin left
    assert lacking(game.state, 3) == gone("O")
    for seat in (0, 1, 2):
        assert lacking(game.state, seat) == set()


def owners(game, viewer: int, card: str) -> set[int]:
    """Who holds a card in two hundred draws from a seat's view."""
    rng = np.random.default_rng(0)
    draws = [held(state) for state in resample(view(game.state, viewer), rng, 200)]
    return {seat for hands in draws for seat in range(4) if card in hands[seat]}


@pytest.mark.parametrize("viewer", [1, 2, 3])
def test_a_declared_ghna_lies_where_it_was_declared(viewer):
    """§7.7, §10.1: until its cards are played."""
    pair = "12O 11O"
    game = scene(100, f"{pair} 3E 1E")
    asked = game.clone()
    assert owners(asked, viewer, "12O") > {0}
    game.push("ghna O")
    assert owners(game, viewer, "12O") == {0}
    assert owners(game, viewer, "11O") == {0}
    say(game, SECOND)
    assert owners(game, viewer, "12O") == {0}
    game.push("12O")
    assert owners(game, viewer, "12O") == set()
    assert owners(game, viewer, "11O") == {0}


def test_a_declined_ghna_shows_nothing():
    """§7.7."""
    game = scene(100, "12O 11O 3E 1E")
    say(game, "no ghna")
    assert owners(game, 1, "12O") > {0}


@pytest.mark.parametrize("variant", ["standard", "full", "plain"])
def test_nothing_false_is_ever_shown(variant):
    for seed in range(60):
        for game, _ in walk(variant, seed):
            for seat in range(4):
                assert not set(game.hand(seat)) & lacking(game.state, seat)
