import copy
import pickle
import random
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.tables import HANDS
from touti_env import IllegalAction, SingleEnv, touti_v0
from touti_env.aec import AGENTS
from touti_env.core import actions, engine
from touti_env.core.cards import SEATS
from touti_env.core.state import Phase, State
from touti_env.render import text
from touti_env.symmetry import canonical_order, true_action

ID = "touti/Touti-v0"
UNIFORM = {"partner": "uniform", "opponents": "uniform"}


class Fixed:
    """Plays a legal action that depends on the view alone: the same at any table."""

    name = "fixed"

    def __init__(self, stride: int = 0) -> None:
        self.stride = stride

    def act(self, view: State, rng: np.random.Generator | None = None) -> int:
        choices = legal(view)
        return choices[(self.stride * int(view.played) + int(view.contract)) % len(choices)]


class Chance:
    """Uniform, from the chance it is handed."""

    name = "chance"

    def act(self, view: State, rng: np.random.Generator | None = None) -> int:
        assert rng is not None
        return int(rng.choice(legal(view)))


class Cheat:
    name = "cheat"

    def act(self, view: State, rng: np.random.Generator | None = None) -> int:
        return actions.CONCEDE


def legal(view: State) -> list[int]:
    mask = np.zeros(actions.NUM_ACTIONS, np.int8)
    engine.legal(view, mask)
    return [int(action) for action in np.flatnonzero(mask)]


def make(**options) -> SingleEnv:
    options = {"partner": Fixed(3), "opponents": Fixed(5), **options}
    return SingleEnv(**options)


def choose(mask: np.ndarray, chance: random.Random) -> int:
    return int(chance.choice(np.flatnonzero(mask)))


def episode(env: SingleEnv, chance: random.Random, **reset) -> list[tuple]:
    """A random episode: what `reset` and each step returned, flattened."""
    observation, info = env.reset(**reset)
    steps = [(observation, 0.0, False, False, info)]
    while not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(choose(steps[-1][4]["action_mask"], chance)))
    return steps


def frozen(steps: list[tuple]) -> list[object]:
    """Steps as values to compare."""
    return [
        (
            {key: array.tobytes() for key, array in observation.items()},
            *rest,
            {k: v.tobytes() if isinstance(v, np.ndarray) else v for k, v in info.items()},
        )
        for observation, *rest, info in steps
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {**UNIFORM, "rules": "full", "canonical_suits": True, "play_forced": True, "seat": None},
        {**UNIFORM, "episode": "match", "max_deals": 2, "reward": "win", "seat": 3},
        {**UNIFORM, "rules": "plain", "render_mode": "ansi"},
    ],
)
def test_gymnasium_conformance(options, capsys) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ID, on_illegal="terminate", **options).unwrapped)


def test_gymnasium_makes_it() -> None:
    env = gymnasium.make(ID, **UNIFORM, seat=2)
    assert isinstance(env.unwrapped, SingleEnv)
    observation, info = env.reset(seed=0)
    assert observation in env.observation_space
    assert env.unwrapped.action_masks().dtype == np.bool_
    assert (env.unwrapped.action_masks() == info["action_mask"]).all()
    assert env.action_space.sample(mask=info["action_mask"]) in np.flatnonzero(info["action_mask"])


@pytest.mark.parametrize("options", [{}, {"episode": "match", "max_deals": 3}, {"reward": "win"}])
@pytest.mark.parametrize("seat", range(SEATS))
def test_it_is_the_aec_seen_from_one_seat(seat, options) -> None:
    """Every reward belongs to the decision it followed, to the last bit."""
    for seed in range(12):
        steps = episode(make(seat=seat, **options), random.Random(seed), seed=seed)
        assert frozen(steps) == frozen(aec_episode(seat, seed, options))


def aec_episode(seat: int, seed: int, options: dict) -> list[tuple]:
    env, chance, steps = touti_v0.raw_env(**options), random.Random(seed), []
    env.reset(seed=seed)
    for agent in env.agent_iter():
        mover = AGENTS.index(agent)
        observation, reward, terminated, truncated, info = env.last()
        over = terminated or truncated
        if mover == seat:
            steps.append((observation, reward, terminated, truncated, {**info, "seat": seat}))
        if over:
            env.step(None)
        elif mover == seat:
            env.step(choose(info["action_mask"], chance))
        else:
            env.step(Fixed(3 if mover == seat ^ 2 else 5).act(env.view(agent)))
    return steps


def test_an_episodes_rewards_are_the_score_difference() -> None:
    for seed in range(10):
        env = make(episode="match", seat=None)
        steps = episode(env, random.Random(seed), seed=seed)
        score = steps[-1][4]["score"]
        ours = env.seat & 1
        assert max(score) >= 600 and steps[-1][2]
        paid = sum(step[1] for step in steps)
        assert paid == pytest.approx((score[ours] - score[1 - ours]) / 100, abs=1e-12)


def test_max_deals_truncates() -> None:
    *_, last = episode(make(episode="match", max_deals=1), random.Random(0), seed=0)
    assert (last[2], last[3]) == (False, True)
    assert last[4]["deals"] == 1
    assert not last[0]["action_mask"].any()


@pytest.mark.parametrize("rules", ["standard", "full"])
def test_forced_actions_are_played_at_once(rules) -> None:
    decisions = {True: 0, False: 0}
    for forced in decisions:
        env = make(rules=rules, play_forced=forced, partner=Chance(), opponents=Chance())
        for seed in range(40):
            for observation, *_ in episode(env, random.Random(seed), seed=seed)[:-1]:
                decisions[forced] += 1
                free = np.flatnonzero(observation["action_mask"])
                answer = observation["observation"][Phase.ANSWER] == 1
                assert not forced or answer or len(set(free) - {actions.CONCEDE}) > 1
    # Random concessions end most deals of `full` before anything is forced.
    assert decisions[True] < (0.8 if rules == "standard" else 1) * decisions[False]


def test_forced_actions_change_no_reward() -> None:
    """The first legal action, played by hand or by itself, makes the same game."""
    for seed in range(20):
        paid = []
        for forced in (False, True):
            env = make(play_forced=forced, episode="match", max_deals=2, seat=1)
            _, info = env.reset(seed=seed)
            total, over = 0.0, False
            while not over:
                _, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
                total, over = total + reward, terminated or truncated
            paid.append((total, info["score"], text(env.view())))
        assert paid[0] == paid[1]


def test_canonical_suits_are_the_same_game() -> None:
    for seed in range(15):
        plain, canonical = make(), make(canonical_suits=True)
        chance = random.Random(seed)
        _, info = plain.reset(seed=seed)
        observation, told = canonical.reset(seed=seed)
        over = False
        while not over:
            order = np.zeros(4, np.int8)
            canonical_order(plain.view(), order)
            named = [true_action(int(a), order) for a in np.flatnonzero(told["action_mask"])]
            assert sorted(named) == list(np.flatnonzero(info["action_mask"]))
            assert (observation["action_mask"] == canonical.action_masks()).all()
            action = choose(told["action_mask"], chance)
            _, reward, over, _, info = plain.step(true_action(action, order))
            observation, there, *_, told = canonical.step(action)
            assert reward == there and text(plain.view()) == text(canonical.view())


@pytest.mark.parametrize("canonical", [False, True])
def test_illegal_actions(canonical) -> None:
    for seed in range(10):
        env = make(canonical_suits=canonical, seat=None)
        *_, info = env.reset(seed=seed)
        twin = copy.deepcopy(env)
        for action in range(-1, actions.NUM_ACTIONS + 1):
            if not (0 <= action < actions.NUM_ACTIONS and info["action_mask"][action]):
                with pytest.raises(IllegalAction, match=f"seat {env.seat}"):
                    env.step(action)
        with pytest.raises(TypeError):
            env.step(0.5)
        legal_action = int(info["action_mask"].argmax())
        assert frozen([env.step(legal_action)]) == frozen([twin.step(legal_action)])


def test_terminate() -> None:
    env = make(on_illegal="terminate")
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(actions.SKIP)
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert not observation["action_mask"].any() and not env.action_masks().any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    env.step(int(env.action_masks().argmax()))


@pytest.mark.parametrize("on_illegal", ["raise", "terminate"])
def test_an_agents_illegal_action_is_never_the_learners(on_illegal) -> None:
    env = make(partner=Cheat(), on_illegal=on_illegal)
    with pytest.raises(IllegalAction, match="seat 2"):
        env.reset(seed=0, options={"dealer": 1})


def test_the_seat_is_drawn_for_each_episode_and_the_seed_decides_all() -> None:
    def seats() -> list[int]:
        env = make(seat=None, partner=Chance(), opponents=Chance())
        drawn = [env.reset(seed=5)[1]["seat"]]
        return drawn + [env.reset()[1]["seat"] for _ in range(30)]

    assert seats() == seats()
    assert set(seats()) == set(range(SEATS))
    env = make(seat=None, partner=Chance(), opponents=Chance())
    runs = [frozen(episode(env, random.Random(1), seed=8)) for _ in range(2)]
    assert runs[0] == runs[1]
    assert frozen(episode(env, random.Random(1))) != runs[0]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_at_every_decision_go_on_identically(duplicate) -> None:
    env = make(partner=Chance(), opponents=Chance(), seat=None)
    _, info = env.reset(seed=4)
    over = False
    while not over:
        twin = duplicate(env)
        action = int(info["action_mask"].argmax())
        step = env.step(action)
        assert frozen([twin.step(action)]) == frozen([step])
        over, info = step[2], step[4]
    twin = duplicate(env)
    assert frozen(episode(env, random.Random(0))) == frozen(episode(twin, random.Random(0)))


def test_agents_are_swapped_in_while_it_goes_on() -> None:
    """From their next decision on; where nothing is given, who sits there stays."""
    for seed in range(10):
        env, twin = make(), make(partner=Fixed(7), opponents=Fixed(5))
        for table in (env, twin):
            table.reset(seed=seed)
        env.seat_agents(partner=Fixed(7))
        assert (env.partner.stride, env.opponents.stride) == (7, 5)
        env.seat_agents(opponents="uniform")
        assert (env.partner.stride, env.opponents.name) == (7, "uniform")
        with pytest.raises(ValueError, match="nobody"):
            env.seat_agents(partner="sane", opponents="nobody")
        with pytest.raises(TypeError, match="opponents is 3"):
            env.seat_agents(opponents=3)
        assert (env.partner.stride, env.opponents.name) == (7, "uniform")
        env.seat_agents(opponents=Fixed(5))
        steps = [episode(table, random.Random(seed), seed=seed) for table in (env, twin)]
        assert frozen(steps[0]) == frozen(steps[1])


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vector_environments(mode) -> None:
    """Agents as lines and as objects, swapped in by name; the games are those of single tables."""
    options = {"partner": Fixed(3), "opponents": "uniform", "seat": None}
    envs = gymnasium.make_vec(ID, num_envs=3, vectorization_mode=mode, **options)
    try:
        observations, infos = envs.reset(seed=[5, 6, 7])
        singles = [make(**options) for _ in range(3)]
        infos_of = [env.reset(seed=seed)[1] for env, seed in zip(singles, (5, 6, 7), strict=True)]
        assert (infos["seat"] == [info["seat"] for info in infos_of]).all()
        envs.call("seat_agents", opponents=Fixed(11))
        for env in singles:
            env.seat_agents(opponents=Fixed(11))
        for _ in range(5):
            actions = infos["action_mask"].argmax(1)
            observations, rewards, ends, _, infos = envs.step(actions)
            for i, env in enumerate(singles):
                observation, reward, end, _, _ = env.step(int(actions[i]))
                assert (observations["observation"][i] == observation["observation"]).all()
                assert (observations["action_mask"][i] == observation["action_mask"]).all()
                assert (rewards[i], ends[i]) == (reward, end)
    finally:
        envs.close()


def test_reset_options() -> None:
    env = make(rules="plain", seat=1)
    env.reset(seed=0, options={"hands": HANDS, "dealer": 0, "score": (40, 50)})
    assert "as seat 1 sees it" in text(env.view())
    assert "score 40:50" in text(env.view())
    before = text(env.view())
    with pytest.raises(ValueError, match="dealer"):
        env.reset(options={"dealer": 9})
    with pytest.raises(ValueError, match="did you mean 'score'"):
        env.reset(options={"scores": (40, 50)})
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)
    assert text(env.view()) == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seat": 4}, ValueError, "seat is 4"),
        ({"partner": "nobody"}, ValueError, "nobody.*heuristic"),
        ({"opponents": 3}, TypeError, "opponents is 3"),
        ({"episode": "game"}, ValueError, "deal, match"),
        ({"render_mode": "opengl"}, ValueError, "human, ansi"),
    ],
)
def test_wrong_options_are_named(options, error, message) -> None:
    with pytest.raises(error, match=message):
        make(**options)


def test_rendering_shows_what_the_seat_sees(capsys) -> None:
    env = make(render_mode="ansi", seat=2)
    env.reset(seed=0)
    assert env.render() == text(env.view())
    human = make(render_mode="human")
    human.reset(seed=0)
    human.step(int(human.action_masks().argmax()))
    assert capsys.readouterr().out.count("as seat 0 sees it") == 2
