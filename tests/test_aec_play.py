"""The PettingZoo environment: endings and rewards, illegal actions, dead steps, copies."""

import copy
import pickle
import random
from collections.abc import Callable

import gymnasium
import numpy as np
import pytest

from tests.envs import MAKERS, choose, is_over, legal, play, say, seen
from tests.tables import content
from touti_env import IllegalAction, touti_v0
from touti_env.aec import AGENTS
from touti_env.core import actions
from touti_env.core.cards import SEATS
from touti_env.core.rules import VARIANTS

COPIES = {
    "clone": lambda env: env.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.mark.parametrize(
    ("variant", "episodes"), [("standard", 1000), ("full", 150), ("plain", 150)]
)
def test_every_episode_ends_and_pays_in_full(variant, episodes) -> None:
    env, chance, ways = touti_v0.raw_env(variant), random.Random(0), set()
    for seed in range(episodes):
        env.reset(seed=seed)
        ways.add(check_episode(env, chance))
    assert ways == {"made", "failed", "cancelled"} | ({"conceded"} if variant == "full" else set())


def check_episode(env, chance: random.Random) -> str:
    """One deal through `last`; returns how it ended."""
    paid, dead, facts = dict.fromkeys(AGENTS, 0.0), [], {}
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last(observe=False)
        assert not truncated
        paid[agent] += reward
        if terminated:
            dead.append(agent)
            facts = info
        env.step(None if terminated else choose(env, chance))
    assert sorted(dead) == list(AGENTS) and env.agents == []
    winner = facts["scored"]
    worth = facts["contract"] / 100 if winner >= 0 else 0.0
    assert [paid[a] for a in AGENTS] == [worth if s & 1 == winner else -worth for s in range(SEATS)]
    assert facts["score"] == tuple(facts["contract"] * (team == winner) for team in (0, 1))
    if winner < 0:
        return "cancelled"
    if env.unwrapped._states[0].conceded:
        return "conceded"
    return "made" if facts["total"] >= facts["contract"] else "failed"


@pytest.mark.parametrize("reward", ["score", "win"])
def test_an_all_pass_deal_ends_with_zeros(reward) -> None:
    env = touti_v0.env(reward=reward)
    env.reset(seed=0, options={"dealer": 3})
    say(env, "pass, AS, pass, COMPTE")
    assert all(env.terminations.values()) and not any(env.truncations.values())
    for _ in env.agent_iter():
        _, paid, *_, info = env.last()
        assert paid == 0
        assert (info["contract"], info["scored"], info["score"]) == (0, -1, (0, 0))
        env.step(None)


def test_in_a_match_an_all_pass_deal_passes_on() -> None:
    env = touti_v0.env(episode="match")
    env.reset(seed=0, options={"dealer": 3})
    say(env, "pass, pass, pass, pass")
    assert not is_over(env) and env.agent_selection == "player_1"
    assert env.infos["player_1"]["deals"] == 1


@pytest.mark.parametrize("reward", ["score", "win"])
def test_matches(reward) -> None:
    env = touti_v0.raw_env(episode="match", reward=reward)
    for seed in range(10):
        chance, paid = random.Random(seed), dict.fromkeys(AGENTS, 0.0)
        env.reset(seed=seed, options={"score": (100, 250)} if seed % 2 else None)
        begun = (100, 250) if seed % 2 else (0, 0)
        while not is_over(env):
            env.step(choose(env, chance))
            for agent in AGENTS:
                paid[agent] += env.rewards[agent]
        score = env.infos["player_0"]["score"]
        assert max(score) >= 600 > min(score) and all(env.terminations.values())
        gain = (score[0] - begun[0] - score[1] + begun[1]) / 100
        worth = gain if reward == "score" else float(np.sign(score[0] - score[1]))
        assert [paid[agent] for agent in AGENTS] == pytest.approx([worth, -worth] * 2, abs=1e-12)


def test_max_deals_truncates_a_match() -> None:
    env, chance = touti_v0.env(episode="match", max_deals=2, reward="win"), random.Random(0)
    env.reset(seed=0)
    play(env, chance)
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert env.terminations == dict.fromkeys(AGENTS, False)
    assert env.infos["player_2"]["deals"] == 2
    assert set(env.rewards.values()) == {0.0}
    for agent in env.agent_iter():
        assert env.last()[1] == 0 and agent in AGENTS
        env.step(None)
    # A match won in the last deal allowed has ended by itself.
    env.reset(seed=0, options={"score": (599, 599)})
    while "deals" not in env.infos["player_0"] or env.infos["player_0"]["scored"] < 0:
        env.reset(options={"score": (599, 599)})
        play(env, chance)
    assert all(env.terminations.values()) and not any(env.truncations.values())


def test_win_pays_one_in_a_deal() -> None:
    env, chance = touti_v0.env(reward="win"), random.Random(4)
    env.reset(seed=4)
    play(env, chance)
    assert sorted(env.rewards.values()) == [-1, -1, 1, 1]
    assert env.rewards["player_0"] == env.rewards["player_2"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_mask_says_what_step_accepts(variant) -> None:
    for seed in range(12):
        env, chance = touti_v0.raw_env(variant), random.Random(seed)
        env.reset(seed=seed)
        while not is_over(env):
            before, allowed = seen(env), legal(env)
            for action in range(-1, actions.NUM_ACTIONS + 1):
                if action in allowed:
                    env.clone().step(action) if seed < 3 else None
                else:
                    with pytest.raises(IllegalAction, match=f"action {action} "):
                        env.step(action)
            assert seen(env) == before
            env.step(choose(env, chance))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("on_illegal", ["raise", "terminate"])
def test_none_and_no_integers_are_refused_at_a_live_seat(make, on_illegal) -> None:
    env = make(on_illegal=on_illegal)
    env.reset(seed=0)
    before = seen(env)
    with pytest.raises(IllegalAction, match="None"):
        env.step(None)
    with pytest.raises(TypeError):
        env.step(57.0)
    assert seen(env) == before


@pytest.mark.parametrize("offender", range(SEATS))
@pytest.mark.parametrize("reward", ["score", "win"])
def test_terminate_charges_the_whole_team(offender, reward) -> None:
    env = touti_v0.env(on_illegal="terminate", reward=reward)
    env.reset(seed=0, options={"dealer": (offender - 1) % SEATS})
    env.step(actions.SKIP)
    charged = [-1.0 if seat & 1 == offender & 1 else 1.0 for seat in range(SEATS)]
    assert [env.rewards[agent] for agent in AGENTS] == charged
    assert env.terminations == dict.fromkeys(AGENTS, True)
    paid = {}
    for agent in env.agent_iter():
        observation, paid[agent], terminated, _, info = env.last()
        assert terminated and info["illegal"] and not observation["action_mask"].any()
        env.step(None)
    assert [paid[agent] for agent in AGENTS] == charged


def test_dead_steps() -> None:
    env = touti_v0.raw_env()
    env.reset(seed=0, options={"dealer": 3})
    say(env, "pass, pass, pass, pass")
    with pytest.raises(ValueError, match="None"):
        env.step(57)
    for left in (4, 3, 2, 1):
        assert len(env.agents) == left == len(env.infos) == len(env.rewards)
        env.step(None)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(None)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_copies_at_every_ply_go_on_identically(make, duplicate: Callable) -> None:
    env, chance = make("full", episode="match", max_deals=2), random.Random(1)
    env.reset(seed=1)
    for _ in range(3):
        twins = []
        while not is_over(env):
            twins.append(([], duplicate(env)))
            action = choose(env, chance)
            for taken, _ in twins:
                taken.append(action)
            env.step(action)
        twins.append(([], duplicate(env)))
        end = finish(env)
        assert all(finish(twin, taken) == end for taken, twin in twins)


def finish(env, taken: list[int] | tuple = ()) -> list[object]:
    """The end reached by `taken`, then the dead steps, then the next episode's deal."""
    for action in taken:
        env.step(action)
    shown = [seen(env)]
    while env.agents:
        env.step(None)
    env.reset()
    return [*shown, seen(env)]


def test_copying_leaves_the_original_alone() -> None:
    env = touti_v0.raw_env()
    env.reset(seed=1)
    before = content(env._states[0])
    twin = env.clone()
    play(twin, random.Random(0))
    twin.infos["player_0"]["more"] = 1
    assert content(env._states[0]) == before and "more" not in env.infos["player_0"]
