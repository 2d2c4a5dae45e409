"""The PettingZoo environment: conformance, reset and its options, rendering."""

import random
import subprocess
import sys
import warnings
from collections.abc import Iterator

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test, state_test

import touti_env
from tests.envs import MAKERS, choose, is_over, play, seen
from tests.tables import HANDS
from touti_env import Game, Rules, VectorEnv, render, touti_v0
from touti_env.aec import AGENTS
from touti_env.core import actions
from touti_env.core.cards import SEATS
from touti_env.core.rules import VARIANTS
from touti_env.notation import card_names

# Not faults: PettingZoo names the environments whose observations may be a dict, and its tests look
# at masks off turn and pass an option that does not exist.
EXPECTED_WARNINGS = (
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    "Action mask numpy array is all zeros",
    "reset: option 'options'",
)


@pytest.fixture
def strict() -> Iterator[None]:
    """Any warning but the expected ones is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message=message)
        yield


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_api(make, variant, strict) -> None:
    api_test(make(variant), num_cycles=100)


def test_pettingzoo_api_of_matches(strict) -> None:
    api_test(touti_v0.env(episode="match", max_deals=3), num_cycles=300)


def test_pettingzoo_render(strict, capsys) -> None:
    pytest.importorskip("resvg_py", reason="rgb_array needs the extra [rgb]")
    render_test(touti_v0.env, {"svg": lambda picture: picture.startswith("<svg ")})


def test_pettingzoo_seed_and_state(strict) -> None:
    seed_test(touti_v0.env)
    state_test(touti_v0.env(on_illegal="terminate"), touti_v0.parallel_env())


def test_pettingzoo_parallel(strict) -> None:
    parallel_api_test(touti_v0.parallel_env(), num_cycles=200)


def test_parallel_pays_what_the_deal_pays() -> None:
    env = touti_v0.parallel_env()
    observations, infos = env.reset(seed=3)
    paid, chance = dict.fromkeys(AGENTS, 0.0), random.Random(3)
    while env.agents:
        [mover] = [a for a in env.agents if observations[a]["action_mask"].any()]
        legal_here = np.flatnonzero(observations[mover]["action_mask"])
        moves = {a: int(chance.choice(legal_here)) if a == mover else 0 for a in env.agents}
        observations, rewards, *_, infos = env.step(moves)
        for agent, reward in rewards.items():
            paid[agent] += reward
    info = infos["player_0"]
    sign = 0 if info["scored"] < 0 else 1 - 2 * info["scored"]
    assert [paid[a] for a in AGENTS] == [s * info["contract"] / 100 for s in (sign, -sign) * 2]


def test_order_of_calls_is_enforced() -> None:
    env = touti_v0.env()
    for call in (env.last, env.state, env.render, env.agent_iter, lambda: env.step(0)):
        with pytest.raises((AssertionError, AttributeError), match="reset"):
            call()
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        touti_v0.raw_env().step(0)


def test_registered_with_pettingzoo() -> None:
    if not hasattr(pettingzoo, "register"):
        pytest.skip("PettingZoo has a registry from 1.27 on")
    env = pettingzoo.make("aec", "touti/Touti-v0", rules="full", episode="match")
    assert env.unwrapped.options.rules == VARIANTS["full"]
    assert pettingzoo.make("parallel", "touti/Touti-v0").possible_agents == list(AGENTS)


def test_import_is_light() -> None:
    code = (
        "import sys, touti_env; from touti_env import touti_v0, VectorEnv, SingleEnv;"
        "assert set(touti_env.__all__) <= set(dir(touti_env));"
        "print([name for name in ('torch', 'pygame', 'matplotlib') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    assert not [name for name in touti_env.__all__ if not hasattr(touti_env, name)]
    with pytest.raises(AttributeError, match="nothing"):
        _ = touti_env.nothing


def test_the_deals_are_those_of_game_and_vector_env() -> None:
    env, vector = touti_v0.raw_env(), VectorEnv(3)
    game = Game(seed=11)
    env.reset(seed=11)
    batch = vector.reset(seed=11)
    chance = random.Random(11)
    for _ in range(300):
        mover = env.agent_selection
        assert AGENTS[batch.seat[0]] == mover
        assert (batch.observation[0] == env.observe(mover)["observation"]).all()
        assert (batch.action_mask[0] == env.observe(mover)["action_mask"]).all()
        action = choose(env, chance)
        if game is not None:
            assert render.text(game.state) == render.text(env._states[0])
            game.push(action)
            game = None if game.deal_over else game
        moves = vector.sample()
        moves[0] = action
        env.step(action)
        batch = vector.step(moves)
        assert [env.rewards[agent] for agent in AGENTS] == pytest.approx(list(batch.reward[0]))
        if is_over(env):
            assert batch.terminated[0]
            env.reset()


def test_reset_without_a_seed_draws_one_and_then_goes_on() -> None:
    def hands(seed: int | None) -> list[bytes]:
        env = touti_v0.env()
        env.reset(seed=seed)
        first = env.state().tobytes()
        env.reset()
        return [first, env.state().tobytes()]

    assert hands(1) == hands(1)
    assert len({*hands(1), *hands(2), *hands(None), *hands(None)}) == 8


def test_reset_options() -> None:
    env = touti_v0.env(episode="match")
    env.reset(seed=0, options={"hands": HANDS, "dealer": 2, "score": (590, 10)})
    assert env.agent_selection == "player_3"
    assert card_names(int(env.unwrapped.view("player_1").hands[1])) == sorted(
        HANDS[1].split(), key=card_names((1 << 40) - 1).index
    )
    same = Game(seed=0, hands=HANDS, dealer=2, score=(590, 10))
    assert render.text(same.state) == render.text(env.unwrapped._states[0])
    ids = [[action for action in range(40) if action % 4 == seat] for seat in range(SEATS)]
    env.reset(options={"hands": ids})
    assert int(env.unwrapped.view("player_0").hands[0]) == sum(1 << card for card in ids[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hands": HANDS[:3]}, "4 hands are needed, not 3"),
        ({"hands": (*HANDS[:3], HANDS[0])}, "in two hands"),
        ({"hands": ("8O", *HANDS[1:])}, "8O"),
        ({"dealer": 4}, "dealer 4"),
        ({"score": (600, 0)}, "score"),
        ({"score": (-10, 0)}, "score"),
        ({"score": (1, 2, 3)}, "score"),
        ({"dealr": 1}, "no option 'dealr'; did you mean 'dealer'.*hands, dealer, score"),
        ({"dealer": 1, "Hands": HANDS}, "no option 'Hands'; did you mean 'hands'"),
    ],
)
def test_wrong_reset_options_change_nothing(options, message) -> None:
    env = touti_v0.env()
    env.reset(seed=3)
    play(env, random.Random(0), 7)
    before = seen(env)
    for seed in (None, 9):
        with pytest.raises(ValueError, match=message):
            env.reset(seed=seed, options=options)
    for seed in (-1, 2**63):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    assert seen(env) == before


def test_a_foreign_reset_option_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="'options' is ignored.*hands, dealer, score"):
        touti_v0.raw_env().reset(options={"options": 1})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rules": "bridge"}, ValueError, "bridge.*standard, full, plain"),
        ({"rules": 7}, TypeError, "rules"),
        ({"episode": "game"}, ValueError, "game.*deal, match"),
        ({"reward": "points"}, ValueError, "points.*score, win"),
        ({"on_illegal": "ignore"}, ValueError, "ignore.*raise, terminate"),
        ({"max_deals": 0}, ValueError, "max_deals is 0"),
        ({"max_deals": 1.5}, TypeError, "max_deals is 1.5"),
        ({"render_mode": "opengl"}, ValueError, "opengl.*human, ansi, svg, rgb_array"),
    ],
)
def test_wrong_options_are_named(options, error, message) -> None:
    with pytest.raises(error, match=message):
        touti_v0.env(**options)


def test_rules_may_be_given_in_full() -> None:
    env, chance = touti_v0.raw_env(Rules(target=100), episode="match"), random.Random(0)
    env.reset(seed=0)
    play(env, chance)
    assert max(env.infos["player_0"]["score"]) >= 100


def test_ansi_is_the_whole_table_as_text() -> None:
    env, game = touti_v0.env(render_mode="ansi"), Game(seed=6)
    env.reset(seed=6)
    chance = random.Random(6)
    while not is_over(env):
        assert env.render() == str(game)
        action = choose(env, chance)
        env.step(action)
        game.push(action)
    assert env.render() == str(game)


def test_human_prints_every_position(capsys) -> None:
    env = touti_v0.env(render_mode="human")
    env.reset(seed=6)
    assert "seat 0:" in capsys.readouterr().out
    env.step(actions.PASS)
    assert "said: pass" in capsys.readouterr().out
    assert env.render() is None


def test_rendering_without_a_mode_warns() -> None:
    env = touti_v0.raw_env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="human, ansi"):
        assert env.render() is None
