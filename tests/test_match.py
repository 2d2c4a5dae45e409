"""docs/rules.md §2: a match, deal after deal."""

from collections import Counter

import pytest

from tests.tables import say
from touti_env import Game, Rules
from touti_env.core import engine

PLAIN = {"signals": False, "announcements": False}
QUICK = Rules(concession=True, **PLAIN)


def score(game: Game, team: int, contract: int = 70) -> None:
    """A deal that `team` scores: its first player declares and the defenders give up."""
    if game.seat % 2 == team:
        say(game, f"{contract} pass pass pass trump O")
        game.push(game.legal_words()[0])
    else:
        say(game, f"pass {contract} pass pass trump O")
    say(game, "concede concede")
    assert game.state.scored == team


def test_the_deal_passes_on():
    """§2.2, §2.3."""
    game = Game(QUICK, seed=1, dealer=2)
    for dealer in (2, 3, 0, 1, 2):
        assert game.state.dealer == dealer
        assert game.seat == (dealer + 1) % 4
        score(game, team=0)
        game.next_deal()


def test_a_cancelled_deal_passes_it_on_too():
    """§2.2, §3.7."""
    game = Game(seed=1, dealer=3, score=(100, 200))
    say(game, "pass pass AS COMPTE")
    game.next_deal()
    assert game.state.dealer == 0
    assert game.score == (100, 200)


def test_the_first_dealer_is_drawn():
    """§2.2: each of the four alike."""
    drawn = Counter(int(Game(seed=seed).state.dealer) for seed in range(2000))
    assert set(drawn) == {0, 1, 2, 3}
    assert sum((number - 500) ** 2 / 500 for number in drawn.values()) < 16.3  # 3 degrees, 0.1%


def test_scores_add_up():
    """§9.2."""
    game = Game(QUICK, seed=1)
    for team, contract in ((0, 70), (1, 100), (1, 90), (0, 130)):
        score(game, team, contract)
        game.next_deal()
    assert game.score == (200, 190)


@pytest.mark.parametrize(
    ("target", "before", "team", "contract", "over"),
    [
        pytest.param(600, (530, 0), 0, 70, True, id="2.1 600 is enough"),
        pytest.param(600, (0, 530), 1, 70, True, id="2.1 for either team"),
        pytest.param(600, (529, 0), 0, 70, False, id="2.1 599 is not"),
        pytest.param(600, (599, 599), 1, 80, True, id="2.1 or more, and one team alone"),
        pytest.param(600, (0, 530), 0, 70, False, id="2.1 the other team's score does not matter"),
        pytest.param(1000, (530, 0), 0, 70, False, id="target 1000"),
        pytest.param(1000, (930, 999), 0, 70, True, id="target 1000 reached"),
        pytest.param(70, (0, 0), 1, 70, True, id="target 70"),
        pytest.param(10, (9, 9), 0, 130, True, id="target 10"),
    ],
)
def test_the_target(target, before, team, contract, over):
    game = Game(Rules(target=target, concession=True, **PLAIN), seed=3, score=before)
    assert not game.match_over
    score(game, team, contract)
    assert game.match_over == engine.match_over(game.state) == over
    if over:
        with pytest.raises(ValueError, match="the match is over"):
            game.next_deal()
    else:
        game.next_deal()
        assert not game.deal_over


def test_no_next_deal_before_the_end_of_this_one():
    game = Game(seed=1)
    with pytest.raises(ValueError, match="not over"):
        game.next_deal()


def test_every_deal_is_dealt_anew():
    """§1.7."""
    game = Game(QUICK, seed=1)
    dealt = set()
    for _ in range(5):
        hands = tuple(tuple(game.hand(seat)) for seat in range(4))
        assert len({card for hand in hands for card in hand}) == 40
        assert {len(hand) for hand in hands} == {10}
        dealt.add(hands)
        score(game, team=0)
        game.next_deal()
    assert len(dealt) == 5
