"""docs/rules.md §1.5, §5 and §6: strength, trump, what must be played, who takes the trick."""

from itertools import pairwise

import pytest

from tests.tables import ending, facing, options, say, table
from touti_env.core.state import Phase

STRONGEST_FIRST = ("1", "3", "12", "11", "10", "7", "6", "5", "4", "2")


@pytest.mark.parametrize("suit", "OCEB")
def test_any_suit_may_be_trump(suit):
    """§5.1: oros too, of which seat 2 holds no card."""
    hands = (
        "1O 12O 7O 5O 3C 6C 11E 4E 2E 10B",
        "3O 10O 2O 11O 6O 1C 11C 5C 1B 4B",
        "10C 7C 2C 12E 7E 3E 6E 12B 11B 5B",
        "4O 12C 4C 1E 10E 5E 3B 7B 6B 2B",
    )
    game = table("pass 70 silent pass pass", hands=hands)
    assert (game.phase, game.seat) == (Phase.TRUMP, 2)
    assert set(game.legal_words()) == options("trump O trump C trump E trump B")
    game.push(f"trump {suit}")
    assert game.state.trump == "OCEB".index(suit)


@pytest.mark.parametrize(
    "said", ["pass pass pass 70", "70 pass pass silent pass", "pass 70 stop pass AS"]
)
def test_the_opener_leads_whoever_declared(said):
    """§2.3, §6.1."""
    game = table(f"{said} trump E")
    assert (game.phase, game.seat) == (Phase.PLAY, 1)
    assert set(game.legal_words()) == set(game.hand(1))


# Trump is copas.
PLAYS = [
    ("6.1 a leader is free", "", "1O 5E 2C", "1O 5E 2C"),
    ("6.2 follow suit", "3O", "2O 7O 1C 1E", "2O 7O"),
    ("6.2 with the only one", "3O", "12O 1C 1E", "12O"),
    ("6.3 beat", "7O", "2O 10O 12O 3C", "10O 12O"),
    ("6.3 beat the partner too", "5O 7O", "2O 10O 4O", "10O"),
    ("6.3 go above the best, not the last", "4O 12O 5O", "11O 3O 6O", "3O"),
    ("6.3 those who cannot are free", "3O", "2O 12O", "2O 12O"),
    ("6.3 discards do not count", "7O 1E", "2O 10O 3E", "10O"),
    ("6.3 trumped: the duty is gone", "4O 2C", "1O 5O 3C", "1O 5O"),
    ("6.3 trumped, and followed since", "4O 2C 10O", "1O 5O 3C", "1O 5O"),
    ("6.3 trumps led", "7C", "2C 10C 1O", "10C"),
    ("6.3 trumps led, none above", "1C", "2C 10C 1O", "2C 10C"),
    ("6.3 trumps led, one cannot follow", "7C 1O", "2C 10C 3O", "10C"),
    ("6.4 must trump", "4O", "2C 7C 1E", "2C 7C"),
    ("6.4 though the partner wins", "1O 4O", "2C 1E 3B", "2C"),
    ("6.4 though another discarded", "4O 1E", "2C 7C 3E", "2C 7C"),
    ("6.5 overtrump", "4O 7C", "2C 10C 1E", "10C"),
    ("6.5 overtrump the partner", "4O 7C 5O", "2C 10C 1E", "10C"),
    ("6.5 above the best of the trumps", "4O 7C 12C", "10C 3C 1C", "3C 1C"),
    ("6.5 forced to undertrump", "4O 12C", "4C 2C 1B", "4C 2C"),
    ("6.6 neither suit nor trump", "4O", "1E 2B", "1E 2B"),
    ("6.6 nor when it was trumped", "4O 7C", "1E 2B", "1E 2B"),
    ("6.6 trumps led", "4C", "1E 2B 3O", "1E 2B 3O"),
    ("11.4 trumped: both", "4O 2C", "1O 5O", "1O 5O"),
    ("11.5 the only one above", "7O", "2O 10O", "10O"),
    ("11.5 the only coin", "7O", "2O 3C", "2O"),
    ("11.6 undertrump", "5O 12C", "4C 1B", "4C"),
    ("11.7 trumps release nobody", "5C 10C", "4C 11C", "11C"),
    ("11.12 the only trump", "1O 5O", "2C 3E", "2C"),
]


@pytest.mark.parametrize(
    ("trick", "hand", "legal"), [pytest.param(*row, id=case) for case, *row in PLAYS]
)
def test_what_may_be_played(trick, hand, legal):
    assert set(facing(trick, hand).legal_words()) == options(legal)


@pytest.mark.parametrize("trump", "CEB")
@pytest.mark.parametrize(("better", "worse"), list(pairwise(STRONGEST_FIRST)))
@pytest.mark.parametrize("suit", "OE")
def test_strength(suit, better, worse, trump):
    """§1.5: plain or trump, the better card must be played on the worse one."""
    assert facing(f"{worse}{suit}", f"{better}{suit} 2B", trump).legal_words() == [
        f"{better}{suit}"
    ]
    assert facing(f"{better}{suit}", f"{worse}{suit} 2B", trump).legal_words() == [f"{worse}{suit}"]


@pytest.mark.parametrize(
    ("trick", "winner", "points"),
    [
        pytest.param("7O 10O 3O 1O", 3, 23, id="6.7 best of the suit led"),
        pytest.param("7O 1E 1B 4O", 0, 22, id="6.7 discards never win"),
        pytest.param("1O 3O 2C 12O", 2, 25, id="6.7 any trump beats an ace"),
        pytest.param("1O 7C 12C 4C", 2, 15, id="6.7 the best trump"),
        pytest.param("1O 12C 7C 3O", 1, 25, id="6.7 undertrumped"),
        pytest.param("7C 10C 1C 3C", 2, 23, id="6.7 trumps led"),
        pytest.param("2C 1O 1E 1B", 0, 33, id="6.7 the lowest trump alone"),
        pytest.param("10O 11O 12O 4O", 2, 9, id="1.6 Sota 2, Cabal 3, Rey 4"),
        pytest.param("3O 2O 4O 5O", 0, 10, id="1.6 Triss 10"),
        pytest.param("2O 4O 5O 6O", 3, 0, id="1.6 small cards"),
    ],
)
@pytest.mark.parametrize("leader", range(4))
def test_who_takes_the_trick(trick, winner, points, leader):
    hands = ["", "", "", ""]
    for place, card in enumerate(trick.split()):
        hands[(leader + place) % 4] = card
    game = ending(hands, leader=leader, taken=0)
    before = list(game.state.points)
    say(game, trick)
    assert game.state.winner == (leader + winner) % 4
    gained = [int(now - then) for now, then in zip(game.state.points, before, strict=True)]
    assert gained[(leader + winner) % 2] == points
    assert gained[(leader + winner + 1) % 2] == 0


def test_the_winner_leads_to_the_next_trick():
    """§6.1: and the others follow in order of seats."""
    game = ending(["7O 2E", "10O 4E", "3O 5E", "4O 6E"], contract=70)
    say(game, "7O 10O 3O 4O")
    assert (game.phase, game.seat) == (Phase.PLAY, 2)
    game.push("5E")
    assert game.seat == 3
    game.push("6E")
    assert game.seat == 0


def test_one_hand_of_ten_tricks():
    """§2.4: ten tricks and the deal is over, forty cards played."""
    game = table("pass pass pass 70 trump O")
    while not game.deal_over:
        game.push(game.legal_words()[-1])
    assert game.state.played == 40
    assert [game.hand(seat) for seat in range(4)] == [[]] * 4
    assert sum(game.state.points) == 120  # §1.6
    assert sum(game.state.tricks) == 10
