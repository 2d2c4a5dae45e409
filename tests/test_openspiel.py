"""The facade against the package itself, and OpenSpiel's own bot on it."""

import copy
import pickle
import random

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from touti_env import Game, IllegalAction, agent, arena, view
from touti_env.adapters.openspiel import MAX_LENGTH, TERMINAL, BotAgent, ToutiGame, ToutiState
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.cards import SEATS
from touti_env.core.rules import VARIANTS
from touti_env.observation import SIZE, encode

DEALS = 25


def pairs(rules: str = "standard", deals: int = DEALS):
    """States of the facade beside games of the package, at every decision of random deals."""
    game = ToutiGame(rules)
    for seed in range(deals):
        twin, state, chance = Game(rules, seed=seed), None, random.Random(seed)
        state = game.state_of(twin.state)
        while True:
            yield state, twin
            if twin.deal_over:
                break
            action = chance.choice(twin.legal_actions())
            twin.push(action)
            state.apply_action(action)


@pytest.mark.parametrize("rules", VARIANTS)
def test_it_is_the_same_game(rules) -> None:
    for state, twin in pairs(rules):
        assert state.legal_actions() == twin.legal_actions()
        assert np.flatnonzero(state.legal_actions_mask()).tolist() == twin.legal_actions()
        assert state.is_terminal() == twin.deal_over
        assert state.current_player() == (TERMINAL if twin.deal_over else twin.seat)
        assert not state.is_chance_node() and state.chance_outcomes() == []
        assert state.record == twin.state
        if twin.deal_over:
            us, them = twin.score
            assert state.returns() == pytest.approx([(us - them) / 100, (them - us) / 100] * 2)
            assert state.rewards() == state.returns()
            assert state.player_return(3) == state.returns()[3]
        else:
            assert state.returns() == [0.0] * SEATS
            names = [state.action_to_string(action) for action in state.legal_actions()]
            assert names == twin.legal_words()
            assert [state.string_to_action(name) for name in names] == state.legal_actions()
            others = [seat for seat in range(SEATS) if seat != twin.seat]
            assert all(state.legal_actions(seat) == [] for seat in others)
            assert not any(sum(state.legal_actions_mask(seat)) for seat in others)
            assert state.legal_actions(twin.seat) == twin.legal_actions()


@pytest.mark.parametrize("rules", VARIANTS)
def test_information_states_are_views(rules) -> None:
    """Equal strings if and only if equal views; the tensor is the observation."""
    strings: dict[str, bytes] = {}
    for state, twin in pairs(rules, 10):
        for seat in range(SEATS):
            seen = view(twin.state, seat)
            assert (
                strings.setdefault(state.information_state_string(seat), seen.tobytes())
                == seen.tobytes()
            )
            vector = np.empty(SIZE, np.float32)
            encode(seen, vector)
            assert state.information_state_tensor(seat) == vector.tolist()
            assert f"as seat {seat} sees it" in state.observation_string(seat)
        if not twin.deal_over:
            assert state.information_state_string() == state.information_state_string(twin.seat)
    assert len(set(strings.values())) == len(strings)


@pytest.mark.parametrize("rules", VARIANTS)
def test_resampling_keeps_the_information_state(rules) -> None:
    chance = random.Random(1)
    drawn = set()
    for state, twin in pairs(rules, 10):
        if state.is_terminal():
            continue
        seat = state.current_player()
        other = state.resample_from_infostate(seat, chance.random)
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.legal_actions() == state.legal_actions()
        assert other.history() == state.history()
        drawn.add(tuple(other.record.hands))
        while not other.is_terminal():
            other.apply_action(chance.choice(other.legal_actions()))
        assert sum(other.returns()) == 0
        assert state.record == twin.state
    assert len(drawn) > 100


@pytest.mark.parametrize(
    "duplicate",
    [
        ToutiState.clone,
        copy.copy,
        copy.deepcopy,
        lambda state: pickle.loads(pickle.dumps(state)),
    ],
)
def test_copies_are_independent(duplicate) -> None:
    for state, twin in pairs(deals=3):
        other = duplicate(state)
        assert (other.history(), other.legal_actions()) == (state.history(), state.legal_actions())
        chance = random.Random(2)
        while not other.is_terminal():
            other = other.child(chance.choice(other.legal_actions()))
        assert state.record == twin.state
        assert state.move_number() == len(state.history()) <= other.move_number()


def test_illegal_actions_change_nothing() -> None:
    for state, twin in pairs("full", 3):
        for action in {-1, *range(NUM_ACTIONS + 1)} - set(state.legal_actions()):
            with pytest.raises(IllegalAction, match=f"action {action} "):
                state.apply_action(action)
        assert state.record == twin.state


def test_the_game_tells_what_it_is() -> None:
    game = ToutiGame("plain", seed=1)
    kind = game.get_type()
    assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert (game.num_players(), game.num_distinct_actions()) == (SEATS, NUM_ACTIONS)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-2.3, 2.3, 0)
    state = game.new_initial_state()
    assert state.get_game() is game
    assert [len(state.information_state_tensor())] == game.information_state_tensor_shape()
    assert game.observation_tensor_size() == SIZE
    assert game.policy_tensor_shape() == [len(state.legal_actions_mask())]
    assert max(len(state.history()) for state, _ in pairs("full")) < MAX_LENGTH
    assert "touti" not in pyspiel.registered_names()
    with pytest.raises(ValueError, match="view of seat 2"):
        game.state_of(view(state.record, 2))


def test_deals_are_those_of_the_seed() -> None:
    def deals(seed: int) -> list[str]:
        game = ToutiGame(seed=seed)
        return [str(game.new_initial_state()) for _ in range(5)]

    assert deals(4) == deals(4) != deals(5)
    assert len(set(deals(4))) == 5


def make_bot(game, chance):
    return ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, chance), 2.0, 20, random_state=chance
    )


@pytest.mark.parametrize("rules", VARIANTS)
def test_ismcts_plays_a_whole_deal(rules) -> None:
    game = ToutiGame(rules, seed=2)
    for _ in range(2):
        state, bot = game.new_initial_state(), make_bot(game, np.random.RandomState(0))
        while not state.is_terminal():
            state.apply_action(bot.step(state))
        assert sum(state.returns()) == 0


def test_a_bot_is_an_agent() -> None:
    """The words of the arena decide all its chance: against itself it scores 0, and twice alike."""
    bot = BotAgent(make_bot, "ismcts")
    assert arena.duplicate(bot, bot, deals=2).values == (0.0, 0.0)
    matches = [arena.duplicate(bot, agent.load("uniform"), deals=3, rules="full") for _ in range(2)]
    assert matches[0].values == matches[1].values
    assert matches[0].agents[0].illegal == 0
    seen = view(Game(seed=0, dealer=3).state, 0)
    assert 0 <= bot.act(seen) < NUM_ACTIONS
