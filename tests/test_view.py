"""docs/rules.md §10: what each player knows, and hands drawn to fit it."""

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from tests.compare import CARD_BITS
from tests.history import replay, walk
from tests.tables import content, ending, say, table
from tests.test_ghna import E, O, scene
from touti_env import Game, resample, view
from touti_env.core.state import STATE, Phase
from touti_env.notation import card_names, signal_name

DEFENDERS, DECLARERS = (1, 3), (0, 2)
HANDS = ("1O 12O 2E", "2O 7O 4E", "4O 10O 5E", "5O 11O 6E")


def talk(said: str) -> Game:
    """The end of a deal that seats 1 and 3 may give up."""
    return ending(HANDS, said, contract=70, rules="full")


@pytest.mark.parametrize("seat", range(4))
def test_own_cards_are_known_and_no_others(seat):
    """§10.1, §10.3."""
    game = table("70 AS pass +10 pass trump E 5C 10C")
    seen = view(game.state, seat)
    assert seen.viewer == seat
    for other in range(4):
        own = other == seat
        assert card_names(int(seen.hands[other])) == (game.hand(other) if own else [])
        assert seen.dealt[other] == (game.state.dealt[other] if own else 0)


@pytest.mark.parametrize("seat", range(4))
def test_deals_to_come_are_not_known(seat):
    """The random stream and the seed behind it are blank."""
    seen = view(Game(seed=5).state, seat)
    assert seen.key == seen.drawn == seen.deals == 0


@pytest.mark.parametrize("seat", range(4))
def test_what_everyone_knows(seat):
    """§10.1, §4.5."""
    game = table("70 AS pass +10 80 stop 90 silent pass trump E", score=(120, 340))
    say(game, "5C 10C")
    seen = view(game.state, seat)
    assert seen.score.tolist() == [120, 340]
    assert [bool(seen.bids[1] >> level & 1) for level in (1, 2, 3)] == [True, False, True]
    assert seen.bids[0] == 1 << 2
    assert [signal_name(code) for code in seen.announced[[2, 3]]] == ["AS", "pass"]
    assert [signal_name(seen.signals[2, level]) for level in (1, 3)] == ["+10", "silent"]
    assert signal_name(seen.signals[3, 2]) == "stop"
    assert (seen.declarer, seen.contract, seen.trump) == (1, 90, 2)
    assert seen.plays[:3].tolist() == [
        card for card in (game.state.plays[0], game.state.plays[1], -1)
    ]
    for name in ("dealer", "phase", "seat", "left_at", "leaders", "top", "winner", "ceiling"):
        assert np.array_equal(seen[name], game.state[name])


@pytest.mark.parametrize("seat", range(4))
def test_a_declared_ghna_is_known(seat):
    """§7.7, §10.1."""
    game = say(scene(100, O), "ghna O")
    seen = view(game.state, seat)
    assert (seen.ghna_by[0], seen.ghna_trick[0], seen.ghna_points) == (0, 7 - 1, 20)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_being_asked_for_a_ghna_is_a_secret(seat):
    """§7.7, §10.3: what the table sees is the winner about to lead, asked or not."""
    game = scene(100, O, E)
    assert (game.phase, game.seat) == (Phase.GHNA, 0)
    seen = view(game.state, seat)
    assert (seen.phase, seen.seat) == (Phase.PLAY, 0)
    game.push("no ghna")
    assert (game.phase, game.seat) == (Phase.GHNA, 2)
    now = view(game.state, seat)
    if seat == 2:
        assert (now.phase, now.seat) == (Phase.GHNA, 2)
    else:
        assert content(now) == content(seen)
    game.push("no ghna")
    assert content(view(game.state, seat)) == content(seen)


def test_the_one_asked_knows():
    """§7.5."""
    game = scene(100, O, E)
    assert (view(game.state, 0).phase, view(game.state, 0).seat) == (Phase.GHNA, 0)
    game.push("no ghna")
    assert (view(game.state, 0).phase, view(game.state, 0).seat) == (Phase.PLAY, 0)


def test_talk_of_conceding_is_the_defenders():
    """§10.2, §10.3."""
    game = talk("1O")
    before = {seat: content(view(game.state, seat)) for seat in range(4)}
    game.push("concede")
    for seat in DECLARERS:
        assert content(view(game.state, seat)) == before[seat]
    for seat in DEFENDERS:
        seen = view(game.state, seat)
        assert (seen.phase, seen.seat) == (Phase.ANSWER, 3)
    game.push("refuse")
    for seat in DECLARERS:
        assert content(view(game.state, seat)) == before[seat]
    for seat in DEFENDERS:
        seen = view(game.state, seat)
        assert (seen.phase, seen.seat, seen.proposed) == (Phase.PLAY, 1, 1)
        assert seen.proposals[1] == 1 << 7
    say(game, "2O 4O 5O 2E")
    for seat in DEFENDERS:
        assert view(game.state, seat).proposals[1] == 1 << 7  # §10.4: remembered


def test_talk_of_conceding_ends_in_the_open():
    """§10.3."""
    game = say(talk("1O"), "concede concede")
    for seat in range(4):
        seen = view(game.state, seat)
        assert (seen.phase, seen.conceded, seen.scored) == (Phase.OVER, 1, game.state.scored)


@pytest.mark.parametrize("variant", ["standard", "full", "plain"])
def test_what_a_seat_cannot_see_does_not_matter(variant):
    """Shuffle the cards that a seat has not seen, the stream too: its view is the same."""
    for seed in range(20):
        chance = random.Random(seed)
        for game, _ in walk(variant, seed):
            seat = chance.randrange(4)
            state = game.clone().state
            hidden = [card for other in range(4) if other != seat for card in game.hand(other)]
            chance.shuffle(hidden)
            for other in range(4):
                if other != seat:
                    number = int(state.hands[other]).bit_count()
                    cards, hidden = hidden[:number], hidden[number:]
                    state.hands[other] = sum(CARD_BITS[card] for card in cards)
                    state.dealt[other] = chance.getrandbits(40)
            state.key, state.drawn = chance.getrandbits(63), chance.getrandbits(30)
            assert view(state, seat).tobytes() == view(game.state, seat).tobytes()


def test_a_view_shares_nothing_with_its_state():
    game = table("70 pass")
    seen = view(game.state, 0)
    before = content(seen)
    game.push("80")
    assert content(seen) == before
    seen.contract = 230
    assert game.state.contract == 80


def test_a_view_of_ones_own_view_is_the_same():
    for game, _ in walk("full", 3):
        for seat in range(4):
            seen = view(game.state, seat)
            assert content(view(seen, seat)) == content(seen)


def test_views_that_are_refused():
    game = table()
    seen = view(game.state, 2)
    for seat in (0, 1, 3):
        with pytest.raises(ValueError, match="view of seat 2"):
            view(seen, seat)
    for seat in (-1, 4):
        with pytest.raises(ValueError, match="0 to 3 are valid"):
            view(game.state, seat)
    with pytest.raises(ValueError, match="full state"):
        resample(game.state, np.random.default_rng(0))


# The position after some cards of a random deal. In the first three a seat still holds a Ghna that
# it has declared.
ENDINGS = [
    ("standard", 27, 28),
    ("full", 28, 28),
    ("full", 58, 28),
    ("standard", 0, 28),
    ("plain", 1, 28),
    ("full", 2, 29),
    ("standard", 4, 31),
    ("full", 5, 33),
    ("plain", 7, 32),
]


def position(variant: str, seed: int, played: int):
    """The game and its history when that many cards have been played."""
    for game, history in walk(variant, seed):
        if game.state.played == played and game.phase == Phase.PLAY:
            return game, history
    raise AssertionError("the deal ended before")


def consistent(game: Game, history, viewer: int) -> set[tuple[frozenset[str], ...]]:
    """Every way the unseen cards may lie, by trying them all against the second rulebook."""
    seats = [seat for seat in range(4) if seat != viewer]
    sizes = [len(game.hand(seat)) for seat in seats]
    unseen = frozenset(card for seat in seats for card in game.hand(seat))
    played = [set(card_names(int(game.state.dealt[s]))) - set(game.hand(s)) for s in range(4)]
    found = set()
    for first in map(frozenset, combinations(sorted(unseen), sizes[0])):
        for second in map(frozenset, combinations(sorted(unseen - first), sizes[1])):
            hands = dict(zip(seats, (first, second, unseen - first - second), strict=True))
            hands[viewer] = frozenset(game.hand(viewer))
            deal = [hands[seat] | played[seat] for seat in range(4)]
            if replay(deal, int(game.state.dealer), game.rules, history):
                found.add(tuple(hands[seat] for seat in range(4)))
    return found


@pytest.mark.parametrize(("variant", "seed", "played"), ENDINGS)
def test_draws_are_uniform(variant, seed, played):
    """All hands that fit the history, no others, and each alike: chi-square."""
    game, history = position(variant, seed, played)
    viewer = seed % 4
    possible = consistent(game, history, viewer)
    number = 40 * len(possible)
    states = resample(view(game.state, viewer), np.random.default_rng(seed), number)
    drawn = Counter(
        tuple(frozenset(card_names(int(cards))) for cards in state.hands) for state in states
    )
    assert set(drawn) == possible
    freedom = len(possible) - 1
    chi_square = sum((times - 40) ** 2 / 40 for times in drawn.values())
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5 + 6


def test_a_draw_never_fails():
    """More than two thousand positions; the counts, and the viewer's own cards, are kept."""
    rng = np.random.default_rng(0)
    positions = 0
    for seed in range(18):
        for game, _ in walk(("standard", "full", "plain")[seed % 3], seed):
            for viewer in range(4):
                drawn = resample(view(game.state, viewer), rng)
                assert drawn.hands[viewer] == game.state.hands[viewer]
                assert drawn.dealt[viewer] == game.state.dealt[viewer]
                assert drawn.hands.sum() == game.state.hands.sum()
                assert drawn.dealt.sum() == (1 << 40) - 1
                positions += 1
    assert positions > 2000


def test_many_draws_at_once():
    seen = view(table("70 pass").state, 0)
    states = resample(seen, np.random.default_rng(1), 50)
    assert (states.shape, states.dtype) == ((50,), STATE)
    assert len({content(state) for state in states}) == 50
    assert len(set(states["key"].tolist())) == 50
    again = resample(seen, np.random.default_rng(1), 50)
    assert [content(state) for state in states] == [content(state) for state in again]
    other = resample(seen, np.random.default_rng(2), 50)
    assert [content(state) for state in states] != [content(state) for state in other]
    assert resample(seen, np.random.default_rng(1), 1).shape == (1,)
    with pytest.raises(ValueError, match="number is 0; 1 or more is valid"):
        resample(seen, np.random.default_rng(1), 0)


def test_cards_lie_alike_before_anything_is_shown():
    """Of the thirty unseen cards each seat has each card in a third of the draws."""
    seen = view(table().state, 0)
    states = resample(seen, np.random.default_rng(1), 3000)
    for seat in (1, 2, 3):
        for card in card_names((1 << 40) - 1):
            times = int(
                (states["hands"][:, seat] >> int(CARD_BITS[card]).bit_length() - 1 & 1).sum()
            )
            own = card in card_names(int(seen.hands[0]))
            assert times == 0 if own else abs(times - 1000) < 5 * (3000 * 2 / 9) ** 0.5
