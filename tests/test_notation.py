"""Every word of the notation, both ways."""

import pytest

from touti_env import notation
from touti_env.core.actions import CONCEDE, NUM_ACTIONS, PASS, SKIP
from touti_env.core.state import Phase

SUITS = "OCEB"
RANKS = "2 4 5 6 7 10 11 12 3 1".split()


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        (Phase.AUCTION, [*map(str, range(70, 231, 10)), "pass", "AS", "COMPTE"]),
        (Phase.SIGNAL, ["AS", "COMPTE", "+10", "stop", "silent"]),
        (Phase.TRUMP, [f"trump {suit}" for suit in SUITS]),
        (Phase.PLAY, [*(rank + suit for suit in SUITS for rank in RANKS), "concede"]),
        (Phase.GHNA, [*(f"ghna {suit}" for suit in SUITS), "no ghna"]),
        (Phase.ANSWER, ["refuse", "concede"]),
    ],
)
def test_the_words_of_a_phase(phase, words):
    """Each is one action, in the order of the ids, and is written as it is read."""
    actions = [notation.parse(word, phase) for word in words]
    assert actions == sorted(set(actions))
    assert [notation.name(action, phase) for action in actions] == words
    assert [notation.parse(word.upper(), phase) for word in words] == actions
    assert [notation.parse(f"  {word.lower()} ", int(phase)) for word in words] == actions


@pytest.mark.parametrize("phase", Phase)
def test_every_id_has_a_word_in_every_phase(phase):
    """So that an illegal action can be named; a signal's `pass` alone means another id."""
    for action in range(NUM_ACTIONS):
        word = notation.name(action, phase)
        if (phase, action) != (Phase.SIGNAL, PASS):
            assert notation.parse(word, phase) == action


@pytest.mark.parametrize(
    ("phase", "alias", "word"),
    [
        (Phase.SIGNAL, "pass", "stop"),
        (Phase.SIGNAL, "skip", "silent"),
        (Phase.TRUMP, "C", "trump C"),
        (Phase.TRUMP, "Trump  c", "trump C"),
        (Phase.GHNA, "o", "ghna O"),
        (Phase.GHNA, "skip", "no ghna"),
        (Phase.ANSWER, "skip", "refuse"),
    ],
)
def test_aliases(phase, alias, word):
    assert notation.parse(alias, phase) == notation.parse(word, phase)


@pytest.mark.parametrize(
    ("word", "phases"),
    [
        ("AS", (Phase.AUCTION, Phase.SIGNAL)),
        ("concede", (Phase.PLAY, Phase.ANSWER)),
        ("1O", (Phase.PLAY, Phase.OVER)),
    ],
)
def test_words_that_mean_the_same_everywhere(word, phases):
    assert len({notation.parse(word, phase) for phase in phases}) == 1


@pytest.mark.parametrize(
    ("phase", "word"),
    [(Phase.SIGNAL, "silent"), (Phase.GHNA, "no ghna"), (Phase.ANSWER, "refuse")],
)
def test_one_id_declines_everything(phase, word):
    assert notation.parse(word, phase) == SKIP
    for other in {Phase.SIGNAL, Phase.GHNA, Phase.ANSWER} - {phase}:
        with pytest.raises(ValueError, match="no word of the"):
            notation.parse(word, other)


@pytest.mark.parametrize(
    ("phase", "word"),
    [
        (Phase.AUCTION, "60"),
        (Phase.AUCTION, "75"),
        (Phase.AUCTION, "240"),
        (Phase.AUCTION, ""),
        (Phase.AUCTION, "passe"),
        (Phase.AUCTION, "silent"),
        (Phase.PLAY, "8O"),
        (Phase.PLAY, "1X"),
        (Phase.PLAY, "O"),
        (Phase.GHNA, "ghna"),
        (Phase.TRUMP, "trump"),
        (Phase.OVER, "next deal"),
    ],
)
def test_what_is_no_word(phase, word):
    with pytest.raises(ValueError, match=f"'{word}' is no word of the {phase.name.lower()} phase"):
        notation.parse(word, phase)


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS])
def test_ids_that_do_not_exist(action):
    with pytest.raises(ValueError, match="0 to 71 are valid"):
        notation.name(action, Phase.PLAY)


@pytest.mark.parametrize("card", range(40))
def test_cards(card):
    """§1.3, §1.4."""
    word = notation.card_name(card)
    assert word == RANKS[card % 10] + SUITS[card // 10]
    assert notation.parse_card(word) == notation.parse_card(f" {word.lower()} ") == card
    assert notation.name(card, Phase.PLAY) == word


@pytest.mark.parametrize("word", ["8O", "9C", "0E", "13B", "1", "O", "", "1OO", "1 O", "O1", "1D"])
def test_no_cards(word):
    with pytest.raises(ValueError, match="is no card; a rank of 1 2 3 4 5 6 7 10 11 12 and"):
        notation.parse_card(word)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("1O 12C", ["1O", "12C"]),
        ("12c 1o", ["1O", "12C"]),
        (["3O", "2O", "1O"], ["1O", "3O", "2O"]),
        ([9, 17], ["1O", "12C"]),
        ([9, "12C"], ["1O", "12C"]),
        ("", []),
        ((word for word in ("1O", "1B")), ["1O", "1B"]),
    ],
)
def test_sets_of_cards(given, names):
    """By suit, strongest first."""
    assert notation.card_names(notation.parse_cards(given)) == names


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("1O 8O", "'8O' is no card"),
        ("1O 1o", "1O is named twice"),
        ([9, "1O"], "1O is named twice"),
        ([40], "40 is no card; ids 0 to 39"),
        ([-1], "-1 is no card; ids 0 to 39"),
    ],
)
def test_no_sets_of_cards(given, message):
    with pytest.raises(ValueError, match=message):
        notation.parse_cards(given)


def test_concede_is_the_last_id():
    assert CONCEDE == NUM_ACTIONS - 1
