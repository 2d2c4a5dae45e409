import random
from itertools import permutations

import numpy as np
import pytest

from tests.tables import a_word, content, table
from touti_env import Game, view
from touti_env.core import engine
from touti_env.core.actions import CONCEDE, GHNA, NUM_ACTIONS, PASS, SKIP, TRUMP
from touti_env.core.cards import CARDS, SEATS, SUIT_SIZE, SUITS
from touti_env.core.rules import VARIANTS
from touti_env.core.state import STATE, State
from touti_env.observation import SIZE, STATE_SIZE, encode, encode_state
from touti_env.symmetry import canonical_order, relabel, true_action

IDENTITY = np.arange(SUITS, dtype=np.int8)
ORDERS = [np.array(order, np.int8) for order in permutations(range(SUITS))]


def mask_of(state: State) -> np.ndarray:
    mask = np.zeros(NUM_ACTIONS, np.int8)
    engine.legal(state, mask)
    return mask


def relabelled(state: State, order: np.ndarray) -> State:
    pair = np.empty(1, STATE)
    pair[0] = state
    relabel(pair[0], order)
    return pair[0]


def canonical(state: State, seat: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """A seat's order of suits, and the observation, mask and critic's state made in it."""
    order = np.full(SUITS, -1, np.int8)
    mine = view(state, seat)
    canonical_order(mine, order)
    relabel(mine, order)
    observation, full = np.empty(SIZE, np.float32), np.empty(STATE_SIZE, np.float32)
    encode(mine, observation)
    encode_state(relabelled(state, order), seat, full)
    return order, [observation, mask_of(mine), full]


def inverse(order: np.ndarray) -> np.ndarray:
    return np.argsort(order).astype(np.int8)


def renamed_action(action: int, order: np.ndarray) -> int:
    """What `action` is called once suit `order[k]` is called k."""
    names = inverse(order)
    if action < CARDS:
        return int(names[action // SUIT_SIZE]) * SUIT_SIZE + action % SUIT_SIZE
    for first in (TRUMP, GHNA):
        if first <= action < first + SUITS:
            return first + int(names[action - first])
    return action


def twin_of(game: Game, order: np.ndarray) -> Game:
    """The same deal with its suits renamed, at its beginning."""
    hands = [
        [renamed_action(card, order) for card in range(CARDS) if int(mask) >> card & 1]
        for mask in game.state.dealt
    ]
    return Game(game.rules, seed=0, hands=hands, dealer=int(game.state.dealer), score=game.score)


@pytest.mark.parametrize("variant", VARIANTS)
def test_renaming_the_suits_of_a_whole_game_changes_nothing_canonical(variant) -> None:
    for seed, order in enumerate(ORDERS):
        game, chance = Game(variant, seed=seed, score=(120, 70)), random.Random(seed)
        twin = twin_of(game, order)
        while not game.deal_over:
            compare(game, twin, order)
            game.push(a_word(game, chance))
            twin.push(renamed_action(game._moves[-1], order))
        compare(game, twin, order)


def compare(game: Game, twin: Game, order: np.ndarray) -> None:
    for seat in range(SEATS):
        here, seen_here = canonical(game.state, seat)
        there, seen_there = canonical(twin.state, seat)
        assert sorted(here) == sorted(there) == list(range(SUITS))
        for one, other in zip(seen_here[:2], seen_there[:2], strict=True):
            assert one.tobytes() == other.tobytes()
        same = seen_here[2].tobytes() == seen_there[2].tobytes()
        assert same or suits_tie(game.state, seat)
        if seat == game.seat:
            check_actions(game, here, seen_here[1])
            check_actions(twin, there, seen_here[1])
    # Renaming a state is renaming its game.
    moved = relabelled(game.state, order)
    for field in ("dealt", "hands", "plays", "ceiling", "ghna_by", "ghna_trick"):
        assert (moved[field] == twin.state[field]).all()
    assert (moved.trump, moved.top) == (twin.state.trump, twin.state.top)


def suits_tie(state: State, seat: int) -> bool:
    """Whether the seat cannot tell two suits apart: what is hidden may then be in either order."""
    mine = view(state, seat)
    return any(content(relabelled(mine, order)) == content(mine) for order in ORDERS[1:])


def check_actions(game: Game, order: np.ndarray, mask: np.ndarray) -> None:
    """The canonical mask allows just the actions whose true ones are legal."""
    assert sorted(true_action(int(a), order) for a in np.flatnonzero(mask)) == game.legal_actions()


@pytest.mark.parametrize("order", ORDERS)
def test_true_actions_are_one_to_one(order) -> None:
    true = [int(true_action(action, order)) for action in range(NUM_ACTIONS)]
    assert sorted(true) == list(range(NUM_ACTIONS))
    assert true == [renamed_action(action, inverse(order)) for action in range(NUM_ACTIONS)]
    others = {*range(CARDS, TRUMP), SKIP, CONCEDE}
    assert PASS in others and all(true[action] == action for action in others)
    assert true[2 * SUIT_SIZE + 9] == order[2] * SUIT_SIZE + 9
    assert true[TRUMP + 1] == TRUMP + order[1] and true[GHNA + 3] == GHNA + order[3]


def test_there_and_back_is_no_change() -> None:
    for seed in range(10):
        game, chance = Game("full", seed=seed), random.Random(seed)
        order = np.array(chance.sample(range(SUITS), SUITS), np.int8)
        while not game.deal_over:
            back = relabelled(relabelled(game.state, order), inverse(order))
            assert content(back) == content(game.state)
            assert content(relabelled(game.state, IDENTITY)) == content(game.state)
            game.push(a_word(game, chance))


def test_the_canonical_order_of_a_canonical_view_is_the_identity() -> None:
    for seed in range(10):
        game, chance = Game(seed=seed), random.Random(seed)
        while not game.deal_over:
            mine = view(game.state, chance.randrange(SEATS))
            order = np.zeros(SUITS, np.int8)
            canonical_order(mine, order)
            again = np.zeros(SUITS, np.int8)
            canonical_order(relabelled(mine, order), again)
            assert (again == IDENTITY).all()
            game.push(a_word(game, chance))


@pytest.mark.parametrize(
    ("words", "seat", "order"),
    [
        # By length: seat 2 holds 2 oros, 3 copas, 2 espadas, 3 bastos; ties by the stronger cards.
        ("", 2, "BCEO"),
        ("", 0, "OECB"),
        # Trump comes first, and the rest stay in order.
        ("pass pass pass 90 trump B", 0, "BOEC"),
        ("pass pass pass 90 trump E", 2, "EBCO"),
    ],
)
def test_the_order(words, seat, order) -> None:
    suits = np.zeros(SUITS, np.int8)
    canonical_order(view(table(words).state, seat), suits)
    assert "".join("OCEB"[suit] for suit in suits) == order


def test_the_order_follows_what_was_dealt_not_what_is_left() -> None:
    game = table("pass pass pass 90 trump B")
    before, _ = canonical(game.state, 0)
    for word in "3O 11O 4O 1O".split():
        game.push(word)
    game.push("no ghna")
    after, _ = canonical(game.state, 0)
    assert (before == after).all()
