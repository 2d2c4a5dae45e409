"""docs/rules.md §8: the defenders may give a deal up. Seats 0 and 2 declare, trump is copas."""

import pytest

from tests.tables import ending, filled, options, say, table
from touti_env import Game, Rules
from touti_env.core.state import Phase

HANDS = ("1O 12O 2E", "2O 7O 4E", "4O 10O 5E", "5O 11O 6E")


def scene(**changes) -> Game:
    return ending(HANDS, **{"contract": 70, "rules": "full", "taken": 40, **changes})


@pytest.mark.parametrize(
    ("game", "said", "phase", "seat", "legal"),
    [
        pytest.param(scene(), "", "PLAY", 0, "1O 12O 2E", id="8.1 not the declaring team"),
        pytest.param(scene(), "1O", "PLAY", 1, "2O 7O concede", id="8.1 a defender's turn"),
        pytest.param(scene(leader=1), "", "PLAY", 1, "2O 7O 4E concede", id="8.1 leading too"),
        pytest.param(scene(), "1O 2O", "PLAY", 2, "4O 10O", id="8.1 nor declarer's partner"),
        pytest.param(scene(), "1O concede", "ANSWER", 3, "concede refuse", id="8.2 the other one"),
        pytest.param(scene(), "1O 2O 4O concede", "ANSWER", 1, "concede refuse", id="8.2 seat 1"),
        pytest.param(
            scene(), "1O concede refuse", "PLAY", 1, "2O 7O", id="8.1, 8.3 once in a turn"
        ),
        pytest.param(
            scene(), "1O concede refuse 2O 4O", "PLAY", 3, "5O 11O concede", id="8.3 the other anew"
        ),
        pytest.param(
            scene(),
            "1O concede refuse 2O 4O concede refuse 5O 2E",
            "PLAY",
            1,
            "4E concede",
            id="8.3 the same anew, in the ninth trick",
        ),
        pytest.param(
            scene(), "1O 2O 4O 5O 2E 4E 5E 6E 11O", "PLAY", 0, "12O", id="8.1 not in the tenth"
        ),
        pytest.param(
            scene(), "1O 2O 4O 5O 2E 4E 5E 6E", "PLAY", 3, "11O", id="8.1 nor leading to the tenth"
        ),
        pytest.param(
            table("70 pass pass silent pass trump O", "full"),
            "2O",
            "PLAY",
            2,
            "11O 6O concede",
            id="8.1 in the first",
        ),
    ],
)
def test_who_may_propose_and_answer(game, said, phase, seat, legal):
    game = say(game.clone(), said)
    assert (game.phase, game.seat) == (Phase[phase], seat)
    assert set(game.legal_words()) == options(legal)


@pytest.mark.parametrize(
    ("game", "said", "total", "scorer"),
    [
        # In the four hands: 11 + 4, 0, 2, 3.
        pytest.param(scene(leader=1), "concede concede", 70, 0, id="8.4 all hands"),
        pytest.param(scene(), "1O concede concede", 70, 0, id="8.4 and the trick under way"),
        pytest.param(scene(), "1O 2O 4O concede concede", 70, 0, id="8.4 wherever the card lies"),
        pytest.param(scene(taken=50), "1O concede concede", 80, 0, id="8.4 beside those taken"),
        pytest.param(
            scene(), "1O 2O 4O 5O 12O concede concede", 70, 0, id="8.4 finished tricks stay"
        ),
        pytest.param(
            scene(taken=39),
            "2E 4E 5E 6E concede refuse 11O 12O concede concede",
            69,
            1,
            id="8.6 one short: failed",
        ),
        pytest.param(scene(contract=230), "1O concede concede", 70, 1, id="8.6 far short"),
        pytest.param(scene(contract=80), "1O concede concede", 70, 1, id="8.6 failed"),
    ],
)
def test_how_it_is_counted(game, said, total, scorer):
    game = say(game.clone(), said)
    state = game.state
    assert game.deal_over
    assert (state.total, state.scored, state.conceded) == (total, scorer, 1)
    assert game.score == ((state.contract, 0) if scorer == 0 else (0, state.contract))  # §9
    assert (sum(state.points), sum(state.tricks)) == (120, 10)


C, O, E, B = "12C 11C", "12O 11O", "12E 11E", "12B 11B"  # noqa: E741 - suits


@pytest.mark.parametrize(
    ("contract", "declared", "declarer", "partner", "defender", "credit"),
    [
        pytest.param(100, "", f"{C} {O}", f"{E} {B}", "", 100, id="8.5 no limit of one"),
        pytest.param(100, "", C, "", "", 40, id="8.5 the declarer's"),
        pytest.param(100, "", "", O, "", 20, id="8.5 the partner's"),
        pytest.param(100, "", "", "", O, 0, id="8.5 not a defender's"),
        pytest.param(100, "", "12O", "11O", "", 0, id="8.5 one player holds it"),
        pytest.param(100, "O", f"{O} {C}", "", "", 40, id="8.5 declared before"),
        pytest.param(100, "O", C, f"{E} {B}", "", 80, id="8.5 what is left of the cap"),
        pytest.param(90, "", C, "", "", 40, id="8.5 40 at 90"),
        pytest.param(90, "", "", f"{O} {E}", "", 40, id="8.5 20 and 20 at 90"),
        pytest.param(90, "", C, f"{O} {E}", "", 40, id="8.5 never more than the cap"),
        pytest.param(90, "", C, E, "", 40, id="8.5, 11.14 40 rather than 20"),
        pytest.param(90, "O", C, E, "", 20, id="8.5 40 is too much, 20 fits"),
        pytest.param(80, "", C, O, "", 20, id="8.5 the one that fits at 80"),
        pytest.param(80, "", C, "", "", 0, id="8.5 no partial credit"),
        pytest.param(70, "", C, O, "", 0, id="8.5 nothing at 70"),
    ],
)
def test_ghna_at_a_concession(contract, declared, declarer, partner, defender, credit):
    """Seat 1 leads and gives up."""
    hands = filled([declarer, defender, partner, "2B 4B 5B"])
    game = ending(hands, leader=1, contract=contract, ghna=declared, rules="full", taken=50)
    before = int(game.state.ghna_points)
    say(game, "concede concede")
    assert game.state.ghna_points == before + credit
    assert game.state.total == game.state.points[0] + 10 + before + credit


def test_a_pair_with_a_card_on_the_table_is_broken():
    """§8.5, §11.14."""
    hands = filled([f"{C} {O}", "", "11E 4B 5B", "2B"], keep="12E")
    hands[2] = hands[2].replace(" 4B", "")
    game = ending(hands, "12E", leader=2, contract=90, rules="full")
    say(game, "concede concede")
    assert game.state.ghna_points == 40


@pytest.mark.parametrize("rules", ["standard", "plain", Rules(concession=False)])
def test_without_concession(rules):
    """§8.7."""
    game = scene(rules=rules)
    while not game.deal_over:
        assert "concede" not in game.legal_words()
        game.push(game.legal_words()[0])
