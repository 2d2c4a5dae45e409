"""docs/rules.md §2.6: the variants; and rules of one's own."""

import pickle
from itertools import product

import pytest

from tests.tables import ending, options, say, table
from touti_env import Game, Rules
from touti_env.core.rules import VARIANTS, as_rules, from_record

CUSTOM = Rules(target=1000, signals=False, last_trick=5, ghna_plain=30, ghna_caps=(10, 30, 50, 70))


@pytest.mark.parametrize(
    ("variant", "announcements", "signals", "concession"),
    [("standard", True, True, False), ("full", True, True, True), ("plain", False, False, False)],
)
def test_the_variants(variant, announcements, signals, concession):
    """§2.6."""
    rules = VARIANTS[variant]
    assert (rules.announcements, rules.signals, rules.concession) == (
        announcements,
        signals,
        concession,
    )
    assert rules.target == 600  # §2.1
    assert rules.last_trick == 10  # §6.8
    assert (rules.ghna_trump, rules.ghna_plain) == (40, 20)  # §7.1
    assert rules.ghna_caps == (0, 20, 40, 100)  # §7.3
    assert rules.name == variant
    assert Game(variant).rules is rules
    assert as_rules(variant) is rules


def test_standard_is_the_default():
    assert Rules() == VARIANTS["standard"] == Game(seed=1).rules
    assert set(VARIANTS) == {"standard", "full", "plain"}


@pytest.mark.parametrize(
    ("signals", "announcements", "concession"), list(product([False, True], repeat=3))
)
def test_each_part_by_itself(signals, announcements, concession):
    """§2.6, §3.9, §4.6, §8.7."""
    rules = Rules(signals=signals, announcements=announcements, concession=concession)
    game = table("", rules)
    assert ("AS" in game.legal_words()) == ("COMPTE" in game.legal_words()) == announcements
    say(game, "70 pass pass")
    assert ("silent" in game.legal_words()) == signals
    if signals:
        game.push("silent")
    say(game, "pass trump O")
    game.push(game.legal_words()[0])
    assert ("concede" in game.legal_words()) == concession


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"target": 9}, ValueError, "target is 9; 10 to 10000"),
        ({"target": 10_001}, ValueError, "target"),
        ({"target": 600.0}, TypeError, "target is 600.0; an int"),
        ({"target": True}, TypeError, "target"),
        ({"target": "600"}, TypeError, "target"),
        ({"signals": 1}, TypeError, "signals is 1; True or False"),
        ({"announcements": None}, TypeError, "announcements"),
        ({"concession": "no"}, TypeError, "concession"),
        ({"last_trick": -1}, ValueError, "last_trick"),
        ({"last_trick": 11}, ValueError, "last_trick"),
        ({"ghna_trump": 101}, ValueError, "ghna_trump"),
        ({"ghna_plain": -20}, ValueError, "ghna_plain"),
        ({"ghna_caps": (0, 20, 40)}, ValueError, "3 values; 4"),
        ({"ghna_caps": (0, 20, 40, 101)}, ValueError, "ghna_caps is 101"),
        ({"ghna_caps": (0, 20, 40, "all")}, TypeError, "ghna_caps"),
        ({"ghna_caps": 40}, TypeError, None),
    ],
)
def test_values_out_of_range_are_refused(changes, error, words):
    with pytest.raises(error, match=words):
        Rules(**changes)


@pytest.mark.parametrize(
    ("rules", "error", "words"),
    [
        ("tute", ValueError, "'tute' is unknown; valid are standard, full, plain"),
        ({"goal": 600}, ValueError, "unknown .'goal'.; valid are"),
        ({"target": 5}, ValueError, "target"),
        (600, TypeError, "a name, a Rules or a dict"),
        (None, TypeError, "a name, a Rules or a dict"),
    ],
)
def test_unknown_rules_are_refused(rules, error, words):
    with pytest.raises(error, match=words):
        as_rules(rules)
    with pytest.raises(error, match=words):
        Game(rules)


@pytest.mark.parametrize("rules", [*VARIANTS.values(), CUSTOM])
def test_every_form_of_the_rules_says_the_same(rules):
    assert from_record(rules.record()) == rules
    assert from_record(Game(rules, seed=1).state.rules) == rules
    assert as_rules(rules.asdict()) == rules
    assert as_rules(rules) is rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(as_rules(rules.asdict())) == hash(rules)


def test_a_variant_of_ones_own_has_no_name():
    assert CUSTOM.name == "custom"
    assert Rules(concession=True).name == "full"


def test_rules_do_not_change():
    with pytest.raises(AttributeError):
        Rules().target = 5


@pytest.mark.parametrize("last_trick", [0, 5, 10])
def test_a_last_trick_of_ones_own(last_trick):
    """§6.8."""
    game = ending(["1O", "2O", "4O", "5O"], taken=60, rules=Rules(last_trick=last_trick))
    say(game, "1O 2O 4O 5O")
    assert game.state.total == 60 + 11 + last_trick


@pytest.mark.parametrize(("trump", "value"), [("C", 60), ("E", 30)])
def test_a_ghna_of_ones_own(trump, value):
    """§7.1."""
    hands = ["1B 12C 11C", "2B 4O 5O", "5B 4E 5E", "7B 2E 2O"]
    game = ending(hands, trump=trump, rules=Rules(ghna_trump=60, ghna_plain=30))
    say(game, "1B 2B 5B 7B ghna C")
    assert game.state.ghna_points == value


@pytest.mark.parametrize(
    ("caps", "contract", "legal"),
    [
        ((0, 20, 40, 100), 80, "ghna O"),
        ((0, 40, 40, 100), 80, "ghna O ghna C"),
        ((20, 20, 40, 100), 70, "ghna O"),
        ((0, 20, 40, 30), 200, "ghna O"),
        ((100, 100, 100, 100), 70, "ghna O ghna C"),
    ],
)
def test_caps_of_ones_own(caps, contract, legal):
    """§7.3."""
    hands = ["1B 12C 11C 12O 11O", "2B 4O 5O 6O 7O", "5B 4E 5E 6E 7E", "7B 2E 2O 3O 3E"]
    game = ending(hands, contract=contract, rules=Rules(ghna_caps=caps))
    say(game, "1B 2B 5B 7B")
    assert set(game.legal_words()) == options(legal) | {"no ghna"}
