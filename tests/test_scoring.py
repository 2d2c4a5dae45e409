"""docs/rules.md §9: the score of a deal. Seats 0 and 2 declare, trump is copas."""

import pytest

from tests.tables import ending, say
from touti_env import Rules
from touti_env.core import scoring

WON = ("1O", "2O", "4O", "5O")  # 11 in the last trick, for the declaring team
LOST = ("2O", "10O", "4O", "5O")  # 2 in the last trick, for the defenders


@pytest.mark.parametrize(
    ("contract", "taken", "last", "ghna", "total", "made"),
    [
        pytest.param(70, 50, WON, "", 71, True, id="6.8, 9.1 cards and the last trick"),
        pytest.param(70, 70, LOST, "", 70, True, id="6.8 no bonus for a lost one"),
        pytest.param(100, 65, LOST, "C", 105, True, id="11.1 with the trump Ghna"),
        pytest.param(100, 65, LOST, "", 65, False, id="11.1 without"),
        pytest.param(90, 69, WON, "", 90, True, id="11.2 on the nose"),
        pytest.param(90, 49, WON, "O", 90, True, id="9.2 on the nose with a Ghna"),
        pytest.param(90, 68, WON, "", 89, False, id="9.3 one short"),
        pytest.param(130, 109, WON, "", 130, True, id="9.1 every point but Ghna"),
        pytest.param(230, 109, WON, "COEB", 230, True, id="9.5 the ceiling"),
        pytest.param(230, 108, WON, "COEB", 229, False, id="9.3 one short of it"),
        pytest.param(70, 0, WON, "", 21, False, id="9.3 far short"),
    ],
)
def test_the_end_of_a_deal(contract, taken, last, ghna, total, made):
    game = ending(last, contract=contract, taken=taken, ghna=ghna)
    say(game, " ".join(last))
    assert game.deal_over
    assert game.state.total == total
    assert game.state.scored == (0 if made else 1)
    assert game.score == ((contract, 0) if made else (0, contract))  # §9.2, §9.3, §9.4
    assert sum(game.state.points) == 120


@pytest.mark.parametrize(
    ("points", "won_last", "ghna", "total"),
    [
        (65, False, 40, 105),
        (65, False, 0, 65),
        (80, True, 0, 90),
        (120, True, 100, 230),
        (0, False, 0, 0),
    ],
)
def test_the_total(points, won_last, ghna, total):
    """§9.1, as the score calculator asks for it."""
    assert scoring.total_of(Rules().record(), points, won_last, ghna) == total


@pytest.mark.parametrize("declaring", [0, 1])
@pytest.mark.parametrize(
    ("contract", "total", "made"),
    [(70, 70, True), (70, 69, False), (100, 105, True), (100, 65, False), (230, 230, True)],
)
def test_who_scores(declaring, contract, total, made):
    """§9.2, §9.3."""
    assert scoring.scorer(contract, total, declaring) == (declaring if made else 1 - declaring)


@pytest.mark.parametrize(("declarer", "scored"), [(0, 0), (1, 1), (2, 0), (3, 1)])
def test_the_declarers_team_scores(declarer, scored):
    """§1.2, §9.2: whoever of the team leads and wins."""
    hands = ["2O", "4O", "5O", "6O"]
    hands[declarer ^ 2] = "1O"
    game = ending(hands, contract=70, declarer=declarer, leader=declarer ^ 2, taken=60)
    while not game.deal_over:
        game.push(game.legal_words()[0])
    assert game.state.scored == scored
    assert game.score == ((70, 0) if scored == 0 else (0, 70))
