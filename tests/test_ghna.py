"""docs/rules.md §7: Ghna. Trump is copas, seat 0 wins both tricks with bastos."""

import pytest

from tests.tables import ending, filled, options, say, table
from touti_env import Game, Rules
from touti_env.core import scoring
from touti_env.core.state import Phase

FIRST = "1B 2B 5B 7B"
SECOND = "3B 4B 6B 10B"
C, O, E, B = "12C 11C", "12O 11O", "12E 11E", "12B 11B"  # noqa: E741 - suits


def scene(
    contract: int,
    winner: str = "",
    partner: str = "",
    defender: str = "",
    declarer: int = 0,
    declared: str = "",
) -> Game:
    """Seat 0 has just won the first trick; besides it holds `winner`, seat 2 `partner`."""
    hands = [f"1B 3B {winner}", f"2B 4B {defender}", f"5B 6B {partner}", "7B 10B"]
    game = ending(filled(hands), contract=contract, declarer=declarer, ghna=declared)
    return say(game, FIRST)


@pytest.mark.parametrize(
    ("game", "said", "asked", "legal"),
    [
        pytest.param(scene(100, C), "", 0, "ghna C", id="7.1 the trump pair"),
        pytest.param(scene(100, O), "", 0, "ghna O", id="7.1 a plain pair"),
        pytest.param(scene(100, "12O 11E"), "", None, "", id="7.1 of the same suit"),
        pytest.param(scene(100, "12O", "11O"), "", None, "", id="7.1 held by one player"),
        pytest.param(scene(100, O, declarer=2), "", 0, "ghna O", id="7.2 declarer or partner"),
        pytest.param(scene(100, O, declarer=1), "", None, "", id="7.2 not for the defenders"),
        pytest.param(scene(100, O, E), f"ghna O {SECOND}", 2, "ghna E", id="7.2 once in a deal"),
        pytest.param(scene(70, C, O), "", None, "", id="7.3 nothing at 70"),
        pytest.param(scene(80, C), "", None, "", id="7.3 no 40 at 80"),
        pytest.param(scene(80, O), "", 0, "ghna O", id="7.3 20 at 80"),
        pytest.param(scene(80, E, declared="O"), "", None, "", id="7.3 no two at 80"),
        pytest.param(scene(90, C), "", 0, "ghna C", id="7.3 40 at 90"),
        pytest.param(scene(90, O, declared="C"), "", None, "", id="7.3 no more than 40 at 90"),
        pytest.param(scene(90, f"{C} {E}", declared="O"), "", 0, "ghna E", id="7.3, 11.3 20 left"),
        pytest.param(scene(100, B, declared="COE"), "", 0, "ghna B", id="7.3 all of them at 100"),
        pytest.param(scene(230, B, declared="COE"), "", 0, "ghna B", id="7.3 all of them at 230"),
        pytest.param(scene(100), "", None, "", id="7.4 none to declare"),
        pytest.param(scene(100, defender=O), "", None, "", id="7.4 a defender's pair"),
        pytest.param(scene(100, O, E), "", 0, "ghna O", id="7.5 the winner first"),
        pytest.param(scene(100, "", E), "", 2, "ghna E", id="7.5 else the partner"),
        pytest.param(scene(100, O, E), "no ghna", 2, "ghna E", id="7.5 the partner after no ghna"),
        pytest.param(scene(100, O, E), "ghna O", None, "", id="7.5 one a trick"),
        pytest.param(scene(100, "", E), "ghna E", None, "", id="7.5 then the winner leads"),
        pytest.param(scene(100, O, E), "no ghna no ghna", None, "", id="7.5 both decline"),
        pytest.param(scene(100, O, E, declarer=3), "", None, "", id="7.5 won by the defenders"),
        pytest.param(scene(100, f"{O} {C}"), "", 0, "ghna O ghna C", id="7.6 any of several"),
        pytest.param(
            scene(100, f"{O} {C}"), f"ghna C {SECOND}", 0, "ghna O", id="7.6 the other later"
        ),
        pytest.param(
            scene(100, O), f"no ghna {SECOND}", 0, "ghna O", id="7.6 declined, declared later"
        ),
        pytest.param(scene(80, C, O), "", 2, "ghna O", id="11.11 too big at 80, so the partner"),
        pytest.param(scene(90, C, O), "", 0, "ghna C", id="11.11 at 90"),
        pytest.param(scene(90, C, O), f"ghna C {SECOND}", None, "", id="11.11 the cap used up"),
        pytest.param(scene(90, C, O), "no ghna", 2, "ghna O", id="11.11 left to the partner"),
    ],
)
def test_who_is_asked_and_for_what(game, said, asked, legal):
    game = say(game.clone(), said)
    if asked is None:
        assert (game.phase, game.seat) == (Phase.PLAY, 0)
    else:
        assert (game.phase, game.seat) == (Phase.GHNA, asked)
        assert set(game.legal_words()) == options(legal) | {"no ghna"}


def test_a_pair_is_broken_by_playing_one_card():
    """§7.4: both cards are in hand at that moment."""
    game = ending(["12O 11O 2C", "2O 3B 2B", "4O 4B 5B", "5O 6B 7B"])
    say(game, "12O 2O 4O 5O")
    assert (game.phase, game.seat) == (Phase.PLAY, 0)


def test_a_defenders_trick_brings_no_asking():
    """§7.5: though the declaring team holds a pair."""
    game = ending(filled(["2B 12O 11O", "1B", "4B 12E 11E", "5B"]))
    say(game, "2B 1B 4B 5B")
    assert (game.phase, game.seat) == (Phase.PLAY, 1)


@pytest.mark.parametrize(
    ("said", "ghna", "by"),
    [
        ("ghna C", 40, {"C": 0}),
        ("no ghna ghna O", 20, {"O": 2}),
        ("no ghna no ghna", 0, {}),
        (f"ghna C {SECOND} ghna O", 60, {"C": 0, "O": 2}),
    ],
)
def test_what_it_brings(said, ghna, by):
    """§7.1: 40 in trumps, 20 in another suit, with its player and trick (§10.1)."""
    game = say(scene(100, C, O), said)
    state = game.state
    declared = {suit: state.ghna_by[i] for i, suit in enumerate("OCEB") if state.ghna_by[i] >= 0}
    assert declared == by
    assert state.ghna_points == ghna
    tricks = sorted(int(trick) for trick in state.ghna_trick if trick >= 0)
    assert tricks == sorted(range(state.tricks.sum() - len(by), state.tricks.sum()))


@pytest.mark.parametrize("contract", range(70, 231, 10))
def test_the_cap(contract):
    """§7.3."""
    expected = {70: 0, 80: 20, 90: 40}.get(contract, 100)
    assert scoring.ghna_cap(Rules().record(), contract) == expected


def test_a_declared_ghna_stays_in_hand():
    """§7.1: nothing is played by declaring."""
    game = scene(100, C)
    held = game.hand(0)
    game.push("ghna C")
    assert game.hand(0) == held
    assert "12C" in game.legal_words()


def test_no_ghna_before_the_first_trick():
    """§7.5: seat 2 holds the bastos pair, but no trick has been won."""
    assert table("pass 100 silent pass pass trump B").phase == Phase.PLAY
