"""Why an action is illegal: one reason each, judged by a predicate of its own."""

import random

import pytest

from tests.reference import above_all, of_suit, suit_of
from tests.tables import a_word, ending, facing, filled, say, table
from touti_env import Game, view
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.cards import CARDS
from touti_env.core.state import Phase
from touti_env.explain import Reason, explain
from touti_env.notation import card_name, legal_actions, parse

# Trump is copas: the trick, the hand, the card refused, the paragraph, the cards that oblige.
CARDS_REFUSED = [
    ("7O", "2O 10O 3E", "3E", "6.2", "10O 2O"),
    ("7O", "2O 10O 3E", "2O", "6.3", "10O"),
    ("3O", "2O 10O 3E", "3E", "6.2", "10O 2O"),
    ("7O 2C", "2O 10O 3E", "3E", "6.2", "10O 2O"),
    ("7C", "2C 10C 1C 1O", "2C", "6.3", "1C 10C"),
    ("7C", "2C 10C 1O", "1O", "6.2", "10C 2C"),
    ("4O", "2C 7C 1E", "1E", "6.4", "7C 2C"),
    ("4O 7C", "2C 10C 1E", "1E", "6.4", "10C 2C"),
    ("4O 7C", "2C 10C 1E", "2C", "6.5", "10C"),
    ("4O 12C", "4C 2C 1B", "1B", "6.5", "4C 2C"),
    ("4O", "4C 2C 1B", "1E", "6.1", ""),
]


@pytest.mark.parametrize(("trick", "hand", "card", "rule", "oblige"), CARDS_REFUSED)
def test_which_rule_and_which_cards_oblige(trick, hand, card, rule, oblige):
    game = facing(trick, hand)
    reason = explain(game.state, parse(card, Phase.PLAY))
    assert (reason.rule, " ".join(reason.cards)) == (rule, oblige)
    assert str(reason) == f"{reason.text} (§{rule})"


def judged(game: Game, card: str) -> tuple[str, set[str]]:
    """The paragraph that playing a held card breaks, and who obliges; written from §6 alone."""
    state = game.state
    hand = set(game.hand(game.seat))
    first = state.played - state.played % 4
    trick = [card_name(int(c)) for c in state.plays[first : state.played]]
    trump = "OCEB"[state.trump]
    if not trick:
        return "", set()
    led = suit_of(trick[0])
    follow, trumps = of_suit(hand, led), of_suit(hand, trump)
    if follow:
        if suit_of(card) != led:
            return "6.2", follow
        above = above_all(follow, of_suit(trick, led))
        trumped = led != trump and of_suit(trick, trump)
        return ("6.3", above) if above and not trumped and card not in above else ("", set())
    if not trumps:
        return "", set()
    above = above_all(trumps, of_suit(trick, trump))
    if suit_of(card) != trump:
        return ("6.4" if above else "6.5"), trumps
    return ("6.5", above) if above and card not in above else ("", set())


def test_ten_thousand_decisions_have_a_reason_for_each_illegal_card():
    decisions = refused = 0
    seed = 0
    while decisions < 10_000:
        game, chance = Game("full", seed=seed), random.Random(seed)
        seed += 1
        while not game.deal_over:
            if game.phase == Phase.PLAY:
                decisions += 1
                legal = game.legal_actions()
                for name in game.hand(game.seat):
                    card = parse(name, Phase.PLAY)
                    reason = explain(game.state, card)
                    rule, oblige = judged(game, name)
                    assert (reason is None) == (card in legal) == (rule == "")
                    if reason is not None:
                        refused += 1
                        assert (reason.rule, set(reason.cards)) == (rule, oblige)
                        assert isinstance(reason, Reason)
            game.push(a_word(game, chance))
    assert refused > 10_000


def test_every_action_is_legal_or_explained_and_views_agree():
    for seed in range(12):
        rules = ("standard", "full", "plain")[seed % 3]
        game, chance = Game(rules, seed=seed), random.Random(seed)
        while not game.deal_over:
            legal = game.legal_actions()
            seen = view(game.state, game.seat)
            for action in range(-1, NUM_ACTIONS + 1):
                reason = explain(game.state, action)
                assert (reason is None) == (action in legal)
                assert explain(seen, action) == reason
            game.push(a_word(game, chance))
        assert {str(explain(game.state, card)) for card in range(CARDS)} == {
            "the deal is over (§9)"
        }


PAIRS = filled(["1B 3B 12C 11C 12O 11O 12E 11E", "2B 4B", "5B 6B", "7B 10B"])


@pytest.mark.parametrize(
    ("game", "word", "reason"),
    [
        (table("80"), "80", "a bid must beat the standing 80 (§3.1)"),
        (table(rules="plain"), "AS", "this variant has no announcements: it bids or passes (§3.9)"),
        (
            say(ending(PAIRS, contract=90), "1B 2B 5B 7B ghna O 3B 4B 6B 10B"),
            "ghna C",
            "this Ghna is worth 40, and 20 are left of the cap (§7.3)",
        ),
        (
            say(ending(PAIRS, contract=80), "1B 2B 5B 7B"),
            "ghna C",
            "this Ghna is worth 40, and 20 are left of the cap (§7.3)",
        ),
        (
            say(ending(PAIRS), "1B 2B 5B 7B ghna O 3B 4B 6B 10B"),
            "ghna O",
            "the Ghna of 12O and 11O was declared before (§7.2)",
        ),
        (
            ending(["1B", "2B", "5B", "7B"], "1B", rules="full"),
            "concede",
            "in the last trick it is too late to concede (§8.1)",
        ),
    ],
)
def test_other_reasons(game, word, reason):
    action = parse(word, game.phase)
    assert action not in legal_actions(game.state)
    assert str(explain(game.state, action)) == reason


def test_a_hidden_hand_is_not_explained():
    game = Game(seed=7)
    with pytest.raises(ValueError, match=f"seat {game.seat} is to act.*does not show its hand"):
        explain(game.view((game.seat + 1) % 4), 0)
