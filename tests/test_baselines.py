"""The baselines: legal, blind to hidden cards, and the heuristic's plays as a bridge book has them.

A situation test names the viewer's hand, deals the rest by a seed, pushes the words of the history
and asks for the heuristic's word.
"""

import numpy as np
import pytest
from numba import njit

from touti_env import agent, arena, handvalue, notation
from touti_env.core import batch
from touti_env.core.rules import VARIANTS, Rules
from touti_env.core.state import OVER, new_states
from touti_env.game import Game
from touti_env.view import look, resample, view

NAMES = ["uniform", "sane", "heuristic"]


@njit
def look_all(states, views):
    for i in range(states.size):
        look(states[i], states[i].seat, views[i])


def positions(name, variant, games, seed=3):
    """Every round of `games` deals played by one agent: its views, words, actions and states."""
    player, rng = agent.load(name), np.random.default_rng(seed)
    states, views = new_states(games), new_states(games)
    states["rules"] = VARIANTS[variant].record()
    batch.seed_streams(states, seed)
    batch.new_matches(states)
    while states.size:
        seen = views[: states.size]
        look_all(states, seen)
        words = rng.integers(2**64, size=states.size, dtype=np.uint64)
        actions = player.act_many(seen, words)
        yield seen, words, actions, states
        batch.apply(states, actions)
        states = states[states["phase"] != OVER]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_legal(name, variant):
    decisions = 0
    for _, _, actions, states in positions(name, variant, 300):
        masks = np.zeros((states.size, 72), np.int8)
        batch.legal(states, masks)
        assert masks[np.arange(states.size), actions].all()
        decisions += states.size
    assert decisions > 2_000


@pytest.mark.parametrize("name", NAMES)
def test_one_by_one_and_all_at_once_agree(name):
    player = agent.load(name)
    for seen, words, actions, _ in positions(name, "full", 20):
        one_by_one = [
            player.act_many(seen[i : i + 1], words[i : i + 1])[0] for i in range(seen.size)
        ]
        assert one_by_one == actions.tolist()


def test_the_heuristic_needs_no_chance():
    player = agent.load("heuristic")
    for seen, words, actions, _ in positions("heuristic", "full", 100):
        assert (player.act_many(seen, ~words) == actions).all()
        acted = [player.act(record, np.random.default_rng(i)) for i, record in enumerate(seen[:3])]
        assert acted == actions[:3].tolist()


@pytest.mark.parametrize("name", NAMES)
def test_hidden_cards_make_no_difference(name):
    player, rng = agent.load(name), np.random.default_rng(8)
    for seen, words, actions, states in positions(name, "full", 8):
        for i in range(0, states.size, 2):
            other = resample(view(states[i], int(states[i].seat)), rng)
            blank = np.array([view(other, int(seen[i].viewer))], seen.dtype)
            assert player.act_many(blank, words[i : i + 1])[0] == actions[i]


@pytest.mark.parametrize("spec", ["uniform?x=1", "sane?luck=3", "heuristic?bold=true"])
def test_unknown_options_are_named(spec):
    with pytest.raises(ValueError, match=r"no option.*valid are"):
        agent.load(spec)


def test_sane_reads_its_margin():
    assert agent.load("sane?margin=25").margin == 25.0
    with pytest.raises(ValueError, match="a number is valid"):
        agent.load("sane?margin=much")


def test_the_heuristic_beats_sane_and_sane_beats_uniform():
    heuristic, sane, uniform = (agent.load(name) for name in ("heuristic", "sane", "uniform"))
    assert arena.duplicate(heuristic, sane, deals=200).mean > 30
    assert arena.duplicate(sane, uniform, deals=200).mean > 50


def test_self_play_contracts_are_those_of_good_players():
    states = new_states(0)
    ended = []
    for _, _, actions, states in positions("heuristic", "standard", 1000):
        after = states.copy()
        batch.apply(after, actions)
        ended.append(after[after["phase"] == OVER])
    deals = np.concatenate(ended)
    deals = deals[deals["contract"] > 0]
    made = (deals["scored"] == deals["declarer"] % 2).mean()
    assert 0.6 < made < 0.75
    assert 85 < deals["contract"].mean() < 110


RULES = Rules().record()


def value(hand, trump, contract):
    return handvalue.total(RULES, notation.parse_cards(hand), "OCEB".index(trump), contract)


STRONG = "1C 3C 12C 11C 7C 1O 3O 1E 4E 2B"
POOR = "2O 4O 5O 2C 4C 5C 2E 4E 2B 4B"


def test_the_trump_ghna_counts_from_90_on():
    assert value(STRONG, "C", 90) - value(STRONG, "C", 80) == pytest.approx(36, abs=5)


def test_a_plain_ghna_counts_from_80_on():
    hand = "1C 3C 7C 6C 5C 12O 11O 1E 4E 2B"
    assert value(hand, "C", 80) - value(hand, "C", 70) == pytest.approx(18, abs=6)


def test_certain_ghna_fills_the_cap():
    hand = notation.parse_cards("12C 11C 12O 11O 12E 11E 1C 3C 4C 5C")
    certain = [handvalue.certain_ghna(RULES, hand, 1, cap) for cap in (0, 20, 40, 100)]
    assert certain == [0, 20, 40, 80]


def test_an_ace_is_worth_more_than_a_two():
    assert value("1C 3C 7C 6C 5C 1O 4O 5O 2E 2B", "C", 80) > value(
        "1C 3C 7C 6C 5C 2O 4O 5O 2E 2B", "C", 80
    )


def test_the_long_strong_suit_is_trump():
    assert handvalue.best_trump(RULES, notation.parse_cards(STRONG), 100) == 1


def test_a_higher_margin_reaches_no_further():
    hand = notation.parse_cards(STRONG)
    reached = [handvalue.highest(RULES, hand, float(margin)) for margin in (-20, 0, 20, 200)]
    assert reached == sorted(reached, reverse=True)
    assert reached[-1] == 0


def table(hands, words="", dealer=3, variant="standard"):
    """A game with some hands given (seat -> cards), the rest dealt out, after some words."""
    masks = {seat: notation.parse_cards(cards) for seat, cards in hands.items()}
    rest = [card for card in range(40) if not any(mask >> card & 1 for mask in masks.values())]
    np.random.default_rng(1).shuffle(rest)
    dealt = []
    for seat in range(4):
        cards = masks.get(seat, 0)
        while cards.bit_count() < 10:
            cards |= 1 << rest.pop()
        dealt.append(notation.card_names(cards))
    game = Game(variant, seed=0, hands=dealt, dealer=dealer)
    for word in words.split(","):
        if word.strip():
            game.push(word.strip())
    return game


def calls(declarer, contract=100, opener=1, suit="C"):
    """The words of an auction that only `declarer` bids in, and the trump, if any is given."""
    words = []
    game = table({}, dealer=(opener - 1) % 4)
    while game.phase.name in ("AUCTION", "SIGNAL"):
        if game.phase.name == "SIGNAL":
            word = "silent"
        else:
            word = str(contract) if game.seat == declarer else "pass"
        words.append(word)
        game.push(word)
    return ", ".join([*words, f"trump {suit}"] if suit else words)


def says(game):
    """The heuristic's word for the seat whose turn it is."""
    seen = view(game.state, game.seat)
    return notation.name(agent.load("heuristic").act(seen), game.phase)


def test_does_not_bid_on_nothing():
    assert says(table({0: POOR})) == "pass"


def test_bids_on_a_strong_hand():
    assert int(says(table({0: STRONG}))) >= 90


def test_leaves_with_the_truth():
    assert says(table({0: "1O 4O 5O 2C 4C 5C 2E 4E 2B 4B"}, variant="standard")) == "AS"
    assert says(table({0: "3O 4O 5O 12C 4C 5C 2E 4E 2B 4B"}, variant="standard")) == "COMPTE"
    assert says(table({0: "1O 4O 5O 2C 4C 5C 2E 4E 2B 4B"}, variant="plain")) == "pass"


def test_signals_an_ace_not_yet_told():
    game = table({0: "1O 4O 5O 2C 4C 5C 1E 4E 2B 4B"}, "AS, 70")
    assert game.phase.name == "SIGNAL"
    assert says(game) == "AS"


def test_stays_silent_when_all_is_told():
    assert says(table({0: "1O 4O 5O 2C 4C 5C 7E 4E 2B 4B"}, "AS, 70")) == "silent"


def test_signals_stop_on_nothing():
    assert says(table({0: POOR}, "pass, 70")) == "stop"


def test_names_the_long_suit():
    assert says(table({0: STRONG}, calls(0, opener=0, suit=""))) == "trump C"


def test_feeds_the_rey_to_the_ace_of_the_partner():
    hands = {
        0: "12O 4O 5O 7C 3E 12B 11B 6B 7E 2B",
        1: "6O 1C 3C 12C 11C 10C 1E 1B 3B 10B",
        2: "1O 2O 4C 5C 6C 4E 5E 4B 5B 2E",
        3: "7O 3O 10O 11O 2C 6E 10E 11E 12E 7B",
    }
    assert says(table(hands, f"{calls(1)}, 6O, 1O, 7O", dealer=0)) == "12O"


def test_feeds_the_ace_to_the_partner_who_trumps():
    hands = {
        0: "1O 4O 5O 7C 3E 12B 11B 6B 7E 2B",
        1: "6O 1C 3C 12C 11C 10C 1E 1B 3B 10B",
        2: "2C 4C 5C 6C 4E 5E 4B 5B 2E 6E",
        3: "7O 3O 10O 11O 2O 12O 10E 11E 12E 7B",
    }
    assert says(table(hands, f"{calls(1)}, 6O, 4C, 7O", dealer=0)) == "1O"


def test_gives_little_to_a_losing_trick():
    hands = {0: "3O 12O 5O 7C 3E 12B 11B 6B 7E 2B", 1: "1O 1C 3C 12C 11C 10C 1E 1B 3B 10B"}
    game = table(hands, f"{calls(1)}, 1O", dealer=0)
    while game.seat != 0:
        game.push(game.legal_words()[0])
    assert says(game) == "5O"


def test_beats_with_the_master_rather_than_the_triss_that_a_later_hand_can_top():
    hands = {0: "1O 3O 5O 7C 4C 2E 4E 2B 4B 6B"}
    game = table(hands, f"{calls(0, opener=3)}, 7O", dealer=2)
    assert game.seat == 0
    assert says(game) in ("1O", "3O")


def test_declares_the_trump_ghna_at_100():
    hands = {1: "1C 3C 12C 11C 7C 1O 12O 11O 1E 4E"}
    game = table(hands, f"{calls(1)}, 1C", dealer=0)
    while game.phase.name == "PLAY":
        game.push(game.legal_words()[0])
    assert game.seat == 1
    assert says(game) == "ghna C"


def test_declares_the_plain_ghna_at_80():
    hands = {1: "1C 3C 12C 11C 7C 1O 12O 11O 1E 4E"}
    game = table(hands, f"{calls(1, contract=80)}, 1C", dealer=0)
    while game.phase.name == "PLAY":
        game.push(game.legal_words()[0])
    assert says(game) == "ghna O"


def test_keeps_rey_and_cabal_until_they_are_declared():
    hands = {1: "1C 3C 12C 11C 7C 1O 12O 11O 1E 4E"}
    assert says(table(hands, calls(1), dealer=0)) not in ("12C", "11C", "12O", "11O")


def test_draws_trumps_with_the_master():
    hands = {1: "1C 3C 12C 11C 10C 7C 6C 1O 1E 4B"}
    assert says(table(hands, calls(1), dealer=0)).endswith("C")


def test_leads_a_small_card_from_a_triss_whose_ace_is_out():
    hands = {1: "3O 4O 2C 4C 3E 5E 6E 3B 5B 7B"}
    assert says(table(hands, calls(2), dealer=0)) not in ("3O", "3E", "3B")


def test_a_lost_deal_is_conceded_and_no_other():
    hands = {1: "1O 3O 12O 11O 10O 1E 1B 3B 1C 3C"}
    game = table(hands, calls(1, contract=70, suit="O"), dealer=0, variant="full")
    conceded = []
    while not game.deal_over:
        made = game.state.points[1] + game.state.ghna_points >= 70
        word = says(game)
        if word == "concede":
            conceded.append(made)
        elif game.seat % 2 == 0 and "concede" in game.legal_words():
            assert not made
        game.push(word)
    assert conceded == [True, True]
