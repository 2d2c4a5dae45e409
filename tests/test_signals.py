"""docs/rules.md §4: signals between partners. Seat 1 opens."""

import pytest

from tests.tables import options, table
from touti_env import Rules
from touti_env.core.state import Phase

SIGNALS = "AS COMPTE +10 stop silent"


@pytest.mark.parametrize(
    ("said", "sender"),
    [
        pytest.param("pass 70", 1, id="4.1 the partner passed"),
        pytest.param("AS 70", 1, id="4.1 the partner announced"),
        pytest.param("70 80 90 pass", None, id="4.1(1) the partner is in"),
        pytest.param("70 80 pass", None, id="4.1(1) the other team's player is out"),
        pytest.param("pass pass", None, id="4.1(3) nobody has bid"),
        pytest.param("pass pass pass", None, id="4.1(3) nobody has bid, the last one in"),
        pytest.param("pass 70 silent 80 90", None, id="4.1(1) the partner is in, at a later turn"),
        pytest.param("70 pass pass silent 80", 3, id="4.1(5) once a level"),
        pytest.param("70 pass pass +10 80 stop 90", 2, id="4.1(5) each new bid is a new level"),
        pytest.param("70 pass pass +10 80 stop 90 AS 100", 3, id="4.1(5) and again"),
        pytest.param("70 80 pass pass", 3, id="4.1 the partner of who is overcalled"),
        pytest.param("230 pass pass", 2, id="4.2, 11.13 at 230"),
        pytest.param("70 pass pass", 2, id="11.9 seat 2 for seat 0"),
        pytest.param("70 pass pass silent 80", 3, id="11.9 seat 3 for seat 1, at 80"),
        pytest.param("70 AS pass", 2, id="4.3, 11.10 an announcement is no signal"),
        pytest.param("70 COMPTE pass AS 80 silent 90", 2, id="4.3 nor at the levels to come"),
    ],
)
def test_when_one_is_due(said, sender):
    game = table(said)
    if sender is None:
        assert game.phase == Phase.AUCTION
    else:
        assert (game.phase, game.seat) == (Phase.SIGNAL, sender)
        assert set(game.legal_words()) == options(SIGNALS)  # §4.2


@pytest.mark.parametrize("signal", words := SIGNALS.split())
def test_the_turn_follows_and_its_choices_are_as_they_were(signal):
    """§4.1, §4.5."""
    game = table("120 pass pass")
    game.push(signal)
    assert (game.phase, game.seat) == (Phase.AUCTION, 0)
    assert set(game.legal_words()) == options("130..230 pass AS COMPTE")


@pytest.mark.parametrize("signal", words)
def test_at_230(signal):
    """§3.8, §11.13: even +10 may be said."""
    game = table("230 pass pass")
    game.push(signal)
    assert set(game.legal_words()) == options("pass AS COMPTE")


@pytest.mark.parametrize(
    "rules", ["plain", Rules(signals=False)], ids=["plain", "announcements alone"]
)
@pytest.mark.parametrize("said", ["pass 70", "70 pass pass", "230 pass pass", "70 80 pass pass"])
def test_without_signals(rules, said):
    """§4.6."""
    assert table(said, rules).phase == Phase.AUCTION


def test_signals_without_announcements():
    """§2.6: each part can be switched off by itself."""
    game = table("70 pass pass", Rules(announcements=False))
    assert set(game.legal_words()) == options(SIGNALS)
    game.push("AS")
    assert set(game.legal_words()) == options("80..230 pass")
