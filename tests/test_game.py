"""A game for people and scripts: what it takes, what it refuses, copies and the way back."""

import copy
import pickle
import random
import re

import numpy as np
import pytest

from tests.tables import HANDS, a_word, content, ending, facing, say, table
from touti_env import Game, IllegalAction, Rules
from touti_env.core import batch
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.state import Phase, new_states


def test_hands_dealer_and_score_as_given():
    game = Game("plain", seed=3, hands=HANDS, dealer=2, score=(100, 590))
    assert [set(game.hand(seat)) for seat in range(4)] == [set(hand.split()) for hand in HANDS]
    assert game.state.dealer == 2
    assert game.score == (100, 590)
    assert (game.phase, game.seat, game.deal_over, game.match_over) == (
        Phase.AUCTION,
        3,
        False,
        False,
    )


def test_hands_in_any_form():
    ids = [list(range(seat, 40, 4)) for seat in range(4)]
    words = [[f"{card}" for card in Game(hands=ids).hand(seat)] for seat in range(4)]
    lines = [" ".join(hand) for hand in words]
    games = [Game(seed=1, dealer=0, hands=hands) for hands in (ids, words, lines, iter(lines))]
    assert len({content(game.state) for game in games}) == 1


TWICE = (*HANDS[:3], HANDS[3].replace("4O", "1O"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hands": HANDS[:3]}, "4 hands are needed, not 3"),
        ({"hands": [*HANDS, ""]}, "4 hands are needed, not 5"),
        ({"hands": (*HANDS[:3], HANDS[3][3:])}, "seat 3 has 9 cards; 10 are dealt"),
        ({"hands": TWICE}, "1O is in two hands"),
        ({"hands": (HANDS[0].replace("1O", "8O"), *HANDS[1:])}, "'8O' is no card"),
        ({"hands": (HANDS[0].replace("12O", "1O"), *HANDS[1:])}, "1O is named twice"),
        ({"dealer": 4}, "dealer 4 is no seat; 0 to 3 are valid"),
        ({"dealer": True}, "dealer True is no seat; 0 to 3 are valid"),
        ({"score": (10.5, 0)}, re.escape("score (10.5, 0): two numbers of 0 to 599 are valid")),
        ({"dealer": -1}, "dealer -1 is no seat"),
        (
            {"score": (600, 0)},
            re.escape("score (600, 0): two numbers of 0 to 599 are valid (§2.1)"),
        ),
        ({"score": (0, -10)}, "two numbers"),
        ({"score": (0,)}, "two numbers"),
        ({"rules": Rules(target=100), "score": (100, 0)}, "0 to 99"),
        ({"rules": "bridge"}, "'bridge' is unknown; valid are standard, full, plain"),
        ({"seed": -1}, "seed is -1; 0 to"),
        ({"seed": 2**63}, "seed is"),
    ],
)
def test_what_a_game_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        Game(**wrong)


@pytest.mark.parametrize("seed", [1.0, "7", True, (1,)])
def test_seeds_are_integers(seed):
    with pytest.raises(TypeError, match="an integer of 0 to"):
        Game(seed=seed)


def test_one_seed_one_match():
    """Twice the same, and any seed in range will do."""
    for seed in (0, 7, np.int64(7), 2**63 - 1):
        games = [Game(seed=seed) for _ in range(2)]
        for game in games:
            while not game.match_over:
                chance = random.Random(content(game.state))
                if game.deal_over:
                    game.next_deal()
                else:
                    game.push(a_word(game, chance))
        assert content(games[0].state) == content(games[1].state)


def test_no_seed_is_a_seed_of_ones_own():
    games = [Game() for _ in range(20)]
    assert len({game.seed for game in games}) == 20
    again = Game(seed=games[0].seed)
    assert content(again.state) == content(games[0].state)


def matches(seed: int, number: int):
    """That many games of a batch, each in its first deal."""
    states = new_states(number)
    states["rules"] = Rules().record()
    batch.seed_streams(states, seed)
    batch.new_matches(states)
    return states


def test_games_have_streams_of_their_own():
    """Other seeds and other places in a batch have other deals, this one and the next."""
    seeds, number = range(20), 200
    dealt = set()
    for seed in seeds:
        states = matches(seed, number)
        for i in range(number):
            dealt.add(states[i].dealt.tobytes())
            batch.next_deal_at(states, i)
            dealt.add(states[i].dealt.tobytes())
    assert len(dealt) == len(seeds) * number * 2


def test_a_batch_deals_the_same_however_it_is_cut():
    whole, part = matches(9, 50), matches(9, 20)
    assert [content(state) for state in whole[:20]] == [content(state) for state in part]
    assert content(whole[0]) == content(Game(seed=9).state)


def test_deals_are_uniform():
    """§1.7: each card lies with each seat a quarter of the time, and pairs lie together 3 in 13."""
    number = 20_000
    states = matches(1, number)
    held = states["dealt"][:, :, None] >> np.arange(40) & 1  # game, seat, card
    times = held.sum(0)
    chi_square = ((times - number / 4) ** 2 / (number / 4)).sum()
    assert chi_square < 117 + 5 * (2 * 117) ** 0.5  # 39 * 3 degrees of freedom
    together = np.einsum("gsc,gsd->cd", held[:4000], held[:4000])[np.triu_indices(40, 1)]
    expected = 4000 * 9 / 39
    assert abs(together.mean() - expected) < 1e-9
    assert np.abs(together - expected).max() < 5 * (expected * 30 / 39) ** 0.5
    consecutive = (held[:-1] * held[1:]).sum((1, 2)).mean()  # cards that stay with their seat
    assert abs(consecutive - 10) < 0.1


@pytest.mark.parametrize(
    ("trick", "hand", "word", "message"),
    [
        ("7O", "2O 10O 3E", "3E", "it holds 10O 2O of the suit led and must follow (§6.2)"),
        ("7O", "2O 10O 3E", "2O", "it can beat 7O, the best card of the suit led, and must (§6.3)"),
        ("3O", "2O 10O 3E", "3E", "it holds 10O 2O of the suit led and must follow (§6.2)"),
        ("7O 2C", "2O 10O 3E", "3E", "it holds 10O 2O of the suit led and must follow (§6.2)"),
        ("7O", "2C 3E", "3E", "it has no oros but trumps (copas) and must trump (§6.4)"),
        ("7O 2C", "5C 3E", "3E", "it has no oros but trumps (copas) and must trump (§6.4)"),
        ("7O 5C", "2C 7C 3E", "2C", "it can beat 5C, the best trump, and must (§6.5)"),
        ("7O 5C", "2C 3E", "3E", "it has no oros and must trump, even below 5C (§6.5)"),
        ("7O", "2C 3E", "1B", "it does not hold 1B (§6.1)"),
        ("", "2C 3E", "concede", "this variant has no concession (§8.7)"),
        ("", "2C 3E", "80", "it is its turn to play a card (§6.1)"),
        ("", "2C 3E", "no ghna", "'no ghna' is no word of the play phase"),
    ],
)
def test_why_a_card_is_refused(trick, hand, word, message):
    game = facing(trick, hand)
    check_refused(game, word, message)


def check_refused(game: Game, word: str, message: str) -> None:
    """The error names action, seat, rule and what is legal; the state is as it was."""
    before = content(game.state)
    with pytest.raises(IllegalAction, match=re.escape(message)) as error:
        game.push(word)
    said = str(error.value)
    assert said.endswith(f"legal: {' '.join(game.legal_words()) or 'none'}")
    if "is no word" not in said:
        assert re.match(rf"seat {game.seat} may not take action \d+ \({re.escape(word)}\): ", said)
    assert content(game.state) == before


# With the rule each of them breaks where one can be named.
HELD = ("2O 3E", "4O 5E", "6O 7E", "5O 6E")


@pytest.mark.parametrize(
    ("game", "word", "message"),
    [
        (table("80"), "70", "a bid must beat the standing 80 (§3.1)"),
        (table("80"), "80", "a bid must beat the standing 80 (§3.1)"),
        (table(), "+10", "only a partner who is out signals"),
        (table(), "1O", "it bids, passes or announces (§3.2)"),
        (table(rules="plain"), "AS", "this variant has no announcements: it bids or passes (§3.9)"),
        (
            table("70 pass pass"),
            "80",
            "it is out of the auction; a signal is due: send one or stay silent (§3.2)",
        ),
        (table("pass pass pass 70"), "1O", "the declarer names trump (§5.1)"),
        (table("pass pass pass 70"), "pass", "the declarer names trump (§5.1)"),
        (ending(HELD, "2O", rules="full"), "refuse", "is no word of the play phase"),
        (ending(HELD, rules="full"), "concede", "only defenders may propose to concede (§8.1)"),
        (
            say(ending(HELD, "2O", rules="full"), "concede refuse"),
            "concede",
            "it proposed in this turn, and was refused (§8.1)",
        ),
        (
            say(ending(HELD, "2O", rules="full"), "concede"),
            "4O",
            "it answers a concession: concede or refuse (§8.2)",
        ),
        (table("pass pass pass pass"), "70", "the deal is over (§9)"),
        (table("pass pass pass pass"), "1O", "the deal is over (§9)"),
    ],
)
def test_why_a_word_is_refused(game, word, message):
    if game.deal_over:
        with pytest.raises(IllegalAction, match=re.escape(message)) as error:
            game.push(word)
        assert str(error.value).endswith("legal: none")
    else:
        check_refused(game, word, message)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("ghna O", "it does not hold both 12O and 11O (§7.4)"),
        ("ghna E", "it does not hold both 12E and 11E (§7.4)"),
        ("1O", "it is asked for a Ghna: declare or decline (§7.5)"),
    ],
)
def test_why_a_ghna_is_refused(word, message):
    hands = ["1B 12C 11C", "2B 4O 5O", "5B 4E 5E", "7B 2E 2O"]
    game = say(ending(hands), "1B 2B 5B 7B")
    check_refused(game, word, message)


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS, 10**6])
def test_ids_that_do_not_exist(action):
    with pytest.raises(IllegalAction, match=r"no such action.*0 to 71"):
        Game(seed=1).push(action)


def test_ids_and_words_are_the_same():
    by_words, by_ids = Game(seed=1), Game(seed=1)
    chance = random.Random(1)
    while not by_words.deal_over:
        word = a_word(by_words, chance)
        action = by_words.legal_actions()[by_words.legal_words().index(word)]
        by_words.push(word)
        by_ids.push(np.int64(action))
    assert content(by_words.state) == content(by_ids.state)


COPIES = {
    "clone": Game.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("variant", ["standard", "full"])
def test_a_copy_goes_on_as_the_game_would(variant, how):
    """At every decision: to the end of the deal, into the next one and all the way back."""
    original = Game(variant, seed=11)
    plan, chance = [], random.Random(11)
    while not original.deal_over:
        plan.append(a_word(original, chance))
        original.push(plan[-1])
    original.next_deal()
    game = Game(variant, seed=11)
    for ply, word in enumerate(plan):
        twin = COPIES[how](game)
        before = content(game.state)
        for later in plan[ply:]:
            twin.push(later)
        twin.next_deal()
        assert content(twin.state) == content(original.state)
        assert content(game.state) == before
        for _ in range(len(plan) + 1):
            twin.pop()
        assert content(twin.state) == content(Game(variant, seed=11).state)
        game.push(word)


def test_a_copy_is_independent():
    game = table("70")
    twin = game.clone()
    twin.push("80")
    game.push("pass")
    assert (twin.state.contract, game.state.contract) == (80, 70)
    assert twin.pop() == "80"
    assert game.pop() == "pass"


def test_pop_names_what_it_took_back():
    game = say(Game(seed=1, dealer=0), "pass AS COMPTE")
    game.push("pass")
    game.next_deal()
    assert game.state.dealer == 1
    popped = [game.pop() for _ in range(5)]
    assert popped == ["next deal", "pass", "COMPTE", "AS", "pass"]
    with pytest.raises(IndexError, match="nothing was pushed"):
        game.pop()


def test_the_same_deals_come_whatever_was_taken_back():
    game, straight = Game(seed=1), Game(seed=1)
    say(game, "70 80")
    game.pop()
    game.pop()
    for other in (game, straight):
        say(other, "pass pass pass pass")
        other.next_deal()
    assert content(game.state) == content(straight.state)
    game.pop()
    game.next_deal()
    assert content(game.state) == content(straight.state)


def test_state_stays_the_games_own():
    """The attribute is the same window before and after."""
    game = Game(seed=1)
    state = game.state
    game.push("70")
    assert state.contract == 70
    game.pop()
    assert state.contract == 0
    assert game.state is state


def test_pictures():
    game = table("70 AS pass +10 80 stop pass trump E 5C", score=(120, 340))
    assert repr(game) == "<Game seed=0 score=(120, 340) PLAY seat=2>"
    picture = str(game)
    for words in (
        "score 120:340",
        "seat 2 said: AS",
        "+10 at 70",
        "trump espadas",
        "seat 2 to act",
    ):
        assert words in picture
    assert max(map(len, picture.splitlines())) <= 80
    assert str(table("70")) != str(table("80"))


def test_an_action_that_is_no_word_and_no_integer_is_refused() -> None:
    game = Game(seed=1)
    with pytest.raises(TypeError):
        game.push(57.9)  # type: ignore[arg-type]
    assert not game.record().actions
