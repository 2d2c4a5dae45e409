"""VectorEnv: the same games whatever the batch, exact rewards, nothing leaked and nothing lost."""

import copy
import os
import pickle
from typing import Any

import numpy as np
import pytest

from touti_env import Game, IllegalAction, VectorEnv, touti_v0, view
from touti_env.core.actions import CONCEDE, NUM_ACTIONS
from touti_env.core.state import Phase
from touti_env.observation import SIZE, STATE_SIZE, TABLE, encode, encode_state
from touti_env.symmetry import true_action

VARIANTS = ("standard", "full", "plain")


def trace(env: VectorEnv, games: int, steps: int, seed: int) -> list[bytes]:
    """What the first `games` games show and pay over some steps of uniform play."""
    seen = []
    batch = env.reset(seed=seed)
    for _ in range(steps):
        arrays = (batch.observation, batch.action_mask, batch.seat, batch.reward)
        seen += [array[:games].tobytes() for array in (*arrays, batch.terminated)]
        batch = env.step(env.sample())
    return seen


@pytest.mark.parametrize("flags", [{}, {"canonical_suits": True, "play_forced": True}], ids=str)
def test_games_do_not_depend_on_how_many_there_are_nor_on_threads(flags: dict[str, bool]) -> None:
    alone = trace(VectorEnv(3, **flags), 3, 120, seed=5)
    assert trace(VectorEnv(50, **flags), 3, 120, seed=5) == alone
    assert trace(VectorEnv(50, threads=3, **flags), 3, 120, seed=5) == alone


def test_the_first_game_is_that_of_game_and_of_the_aec() -> None:
    env = VectorEnv(2)
    env.reset(seed=11)
    game = Game(seed=11)
    aec = touti_v0.env()
    aec.reset(seed=11)
    assert env.states[0].dealt.tolist() == game.state.dealt.tolist()
    assert env.states[0].dealer == game.state.dealer
    assert np.array_equal(aec.last()[0]["observation"], env.batch.observation[0])


@pytest.mark.parametrize("rules", VARIANTS)
def test_each_step_is_that_of_a_game(rules: str) -> None:
    """Every row shows the acting seat's view; rewards and ends are those of the deal."""
    env = VectorEnv(8, rules)
    batch = env.reset(seed=2)
    games = [Game(rules, seed=0) for _ in range(8)]
    for game, state in zip(games, env.states, strict=True):
        game._states[0] = state
    expected = np.empty(SIZE, np.float32)
    for _ in range(200):
        actions = env.sample()
        for i, game in enumerate(games):
            encode(view(game.state, game.seat), expected)
            assert np.array_equal(batch.observation[i], expected)
            assert np.flatnonzero(batch.action_mask[i]).tolist() == game.legal_actions()
            assert batch.seat[i] == game.seat
            game.push(int(actions[i]))
        batch = env.step(actions)
        for i, game in enumerate(games):
            assert batch.terminated[i] == game.deal_over
            assert batch.reward[i].tolist() == pytest.approx(paid_by(game))
            if game.deal_over:
                game._states[0] = env.states[i]
        assert not batch.truncated.any()


def paid_by(game: Game) -> list[float]:
    if not game.deal_over or game.state.scored < 0:
        return [0, 0, 0, 0]
    return [
        (1 if seat & 1 == game.state.scored else -1) * game.state.contract / 100
        for seat in range(4)
    ]


def test_arrays_are_written_again_not_made_again() -> None:
    env = VectorEnv(4, state=True)
    first = env.reset(seed=1)
    pointers = [array.ctypes.data for array in (first.observation, first.action_mask, first.reward)]
    second = env.step(env.sample())
    assert second is first
    assert pointers == [
        array.ctypes.data for array in (second.observation, second.action_mask, second.reward)
    ]


def test_shapes_and_types() -> None:
    batch = VectorEnv(5, state=True, episode="match", max_deals=2).reset(seed=1)
    assert batch.observation.shape == (5, SIZE) and batch.observation.dtype == np.float32
    assert batch.action_mask.shape == (5, NUM_ACTIONS) and batch.action_mask.dtype == np.int8
    assert batch.action_mask.flags.c_contiguous
    assert batch.seat.shape == (5,) and batch.seat.dtype == np.int64
    assert batch.reward.shape == (5, 4) and batch.reward.dtype == np.float32
    assert batch.terminated.dtype == batch.truncated.dtype == np.bool_
    assert batch.state is not None and batch.state.shape == (5, STATE_SIZE)
    assert batch.final_observation is not None and batch.final_state is not None
    assert batch.final_observation.shape == (5, 4, SIZE)
    assert batch.final_state.shape == (5, 4, STATE_SIZE)
    plain = VectorEnv(5).reset(seed=1)
    assert plain.state is plain.final_observation is plain.final_state is None


@pytest.mark.parametrize("canonical", [False, True])
def test_the_critics_state_begins_with_the_observation(canonical: bool) -> None:
    env = VectorEnv(16, "full", state=True, canonical_suits=canonical)
    batch = env.reset(seed=3)
    expected = np.empty(STATE_SIZE, np.float32)
    for _ in range(100):
        assert batch.state is not None
        assert np.array_equal(batch.state[:, :SIZE], batch.observation)
        if not canonical:
            encode_state(env.states[3], int(env.states[3].seat), expected)
            assert np.array_equal(batch.state[3], expected)
        batch = env.step(env.sample())


@pytest.mark.parametrize("rules", VARIANTS)
def test_canonical_actions_are_the_tables_actions_renamed(rules: str) -> None:
    env = VectorEnv(32, rules, canonical_suits=True)
    plain = VectorEnv(32, rules)
    env.reset(seed=4)
    plain.reset(seed=4)
    for _ in range(150):
        shown = env.sample()
        true = np.array(
            [true_action(a, order) for a, order in zip(shown, env._orders, strict=True)]
        )
        assert np.array_equal(env.as_taken(true), shown)
        assert plain.batch.action_mask[np.arange(32), true].all()
        env.step(shown)
        plain.step(true)
        assert np.array_equal(env.states, plain.states)


@pytest.mark.parametrize("rules", VARIANTS)
def test_no_forced_decision_is_left_and_nothing_else_is_skipped(rules: str) -> None:
    """Played with play_forced or by hand, a game goes the same way."""
    env = VectorEnv(16, rules, play_forced=True)
    by_hand = VectorEnv(16, rules)
    batch, other = env.reset(seed=6), by_hand.reset(seed=6)
    for _ in range(100):
        choices = batch.action_mask.sum(1) - batch.action_mask[:, CONCEDE]
        answering = env.states["phase"] == Phase.ANSWER
        assert (choices[~answering] > 1).all()
        actions = env.sample()
        reward = np.zeros((16, 4), np.float32)
        other = by_hand.step(actions)
        reward += other.reward
        ended = other.terminated.copy()
        for i in range(16):
            while not ended[i] and by_hand.states[i] != env_after(env, actions, i):
                game = single(by_hand, i)
                only = [a for a in game.legal_actions() if a != CONCEDE]
                assert len(only) == 1
                game.push(only[0])
                reward[i] += paid_by(game)
                ended[i] = game.deal_over
                by_hand.states[i] = game.state
        batch = env.step(actions)
        assert np.allclose(batch.reward, reward)
        assert np.array_equal(batch.terminated, ended)
        by_hand.states[:] = env.states
        by_hand.refresh()


def env_after(env: VectorEnv, actions: np.ndarray, i: int) -> Any:
    """Game i after the step, without taking it."""
    trial = copy.deepcopy(env)
    return trial.step(actions) and trial.states[i]


def single(env: VectorEnv, i: int) -> Game:
    game = Game(env.rules, seed=0)
    game._states[0] = env.states[i]
    return game


def test_a_match_goes_on_to_the_target() -> None:
    """The rewards of an episode sum to the score's difference over 100."""
    env = VectorEnv(16, episode="match")
    batch = env.reset(seed=7)
    paid, ends = np.zeros(16), 0
    for _ in range(2500):
        before = env.states["score"].copy()
        batch = env.step(env.sample())
        paid += batch.reward[:, 0]
        for i in np.flatnonzero(batch.terminated):
            assert before[i].max() < 600
            gained = 230 if paid[i] * 100 > before[i, 0] - before[i, 1] else -230
            assert abs(paid[i] * 100 - (before[i, 0] - before[i, 1])) <= abs(gained) + 1e-3
            assert env.states["score"][i].tolist() == [0, 0]
            paid[i], ends = 0, ends + 1
        others = np.flatnonzero(~batch.terminated)
        score = env.states["score"][others]
        assert np.allclose(paid[others] * 100, score[:, 0] - score[:, 1], atol=1e-3)
    assert ends > 10


def test_a_truncated_match_shows_its_end_to_all_four() -> None:
    env = VectorEnv(8, episode="match", max_deals=2, state=True)
    batch = env.reset(seed=8)
    cuts = 0
    for _ in range(400):
        deals = env.states["deals"].copy()
        batch = env.step(env.sample())
        assert not (batch.truncated & batch.terminated).any()
        for i in np.flatnonzero(batch.truncated):
            cuts += 1
            assert deals[i] == 2 and env.states["deals"][i] == 1
            assert batch.final_observation is not None and batch.final_state is not None
            shown = batch.final_observation[i]
            phase = TABLE["phase"]
            assert (shown[:, phase][:, Phase.OVER] == 1).all()
            assert np.array_equal(batch.final_state[i][:, :SIZE], shown)
            assert not np.array_equal(shown[0], shown[1])
    assert cuts > 20


def test_win_pays_one_at_the_end_of_the_episode() -> None:
    env = VectorEnv(64, reward="win")
    batch = env.reset(seed=9)
    for _ in range(200):
        batch = env.step(env.sample())
        assert (batch.reward[~batch.terminated] == 0).all()
        assert set(np.unique(batch.reward[batch.terminated])) <= {-1.0, 0.0, 1.0}
        assert np.array_equal(batch.reward[:, 0], batch.reward[:, 2])
        assert np.array_equal(batch.reward[:, 0], -batch.reward[:, 1])


def test_an_all_pass_deal_ends_with_nothing_paid() -> None:
    env = VectorEnv(2)
    env.reset(seed=1)
    passes = np.full(2, 57)
    for _ in range(3):
        assert not env.step(passes).terminated.any()
    batch = env.step(passes)
    assert batch.terminated.all() and not batch.reward.any()


def test_an_illegal_action_raises_and_moves_no_game() -> None:
    env = VectorEnv(4)
    env.reset(seed=1)
    before = env.states.copy()
    with pytest.raises(IllegalAction, match=r"game 2: seat . may not take action 62 \(trump O\)"):
        env.step([57, 57, 62, 57])
    assert np.array_equal(env.states, before)


def test_in_canonical_suits_an_illegal_action_moves_nothing_either() -> None:
    env = VectorEnv(4, canonical_suits=True)
    env.reset(seed=1)
    before = env.states.copy()
    with pytest.raises(IllegalAction, match="game 0"):
        env.step([0, 57, 57, 57])
    assert np.array_equal(env.states, before)


@pytest.mark.parametrize("wrong", [0, 62, 71, 72, -1, 10**9])
def test_an_illegal_action_may_end_the_episode_against_its_team(wrong: int) -> None:
    env = VectorEnv(3, on_illegal="terminate", canonical_suits=True)
    batch = env.reset(seed=1)
    offender = int(batch.seat[1])
    batch = env.step([57, wrong, 57])
    assert batch.terminated.tolist() == [False, True, False]
    assert [batch.reward[1, seat] for seat in (offender, offender ^ 2)] == [-1, -1]
    assert [batch.reward[1, seat] for seat in (offender ^ 1, offender ^ 3)] == [1, 1]


@pytest.mark.parametrize(
    "actions",
    [[57] * 3, [57] * 5, [[57] * 4], [57.0] * 4, ["pass"] * 4, [True] * 4],
    ids=str,
)
def test_actions_of_a_wrong_shape_or_type_are_refused(actions: Any) -> None:
    env = VectorEnv(4)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions of shape .*\(4,\) ints are valid"):
        env.step(actions)


def test_a_step_needs_a_reset() -> None:
    with pytest.raises(ValueError, match="reset must be called first"):
        VectorEnv(2).step([57, 57])
    with pytest.raises(ValueError, match="reset must be called first"):
        VectorEnv(2).sample()


@pytest.mark.parametrize(
    "options",
    [
        {"num_envs": 0},
        {"num_envs": 2, "threads": 0},
        {"num_envs": 2, "rules": "unknown"},
        {"num_envs": 2, "episode": "hand"},
        {"num_envs": 2, "reward": "points"},
        {"num_envs": 2, "on_illegal": "ignore"},
        {"num_envs": 2, "max_deals": 0},
    ],
    ids=str,
)
def test_bad_options_name_what_is_valid(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="valid"):
        VectorEnv(**options)


@pytest.mark.parametrize(
    "options",
    [{"dealer": 4}, {"score": (600, 0)}, {"hands": ["1O"] * 4}, {"hand": ["1O"] * 4}],
    ids=str,
)
def test_bad_reset_options_change_nothing(options: dict[str, Any]) -> None:
    env = VectorEnv(2)
    env.reset(seed=1)
    before = env.states.copy()
    with pytest.raises(ValueError, match=r"valid|needed|dealt"):
        env.reset(seed=2, options=options)
    assert np.array_equal(env.states, before)


def test_dealer_and_score_hold_for_every_episode_and_hands_for_the_first() -> None:
    suits = [[f"{rank}{suit}" for rank in (1, 2, 3, 4, 5, 6, 7, 10, 11, 12)] for suit in "OCEB"]
    env = VectorEnv(3, episode="match")
    env.reset(seed=1, options={"hands": suits, "dealer": 2, "score": (590, 100)})
    first = env.states["dealt"].copy()
    assert (first == first[0]).all()
    assert (env.states["dealer"] == 2).all() and (env.batch.seat == 3).all()
    while not env.step(env.sample()).terminated.any():
        pass
    ended = env.batch.terminated
    assert (env.states["dealer"][ended] == 2).all()
    assert (env.states["score"][ended] == [590, 100]).all()
    assert not (env.states["dealt"][ended] == first[ended]).all()
    env.reset(seed=1, options={"dealer": None})
    assert not env.states["score"].any()
    assert len(set(VectorEnv(64).reset(seed=1, options={"dealer": None}).seat)) == 4


def test_without_a_seed_a_reset_goes_on_with_the_games_own_streams() -> None:
    env = VectorEnv(3)
    env.reset(seed=1)
    first = env.states["dealt"].copy()
    env.reset()
    second = env.states["dealt"].copy()
    assert not (first == second).all(1).any()
    env.reset(seed=1)
    env.reset()
    assert np.array_equal(env.states["dealt"], second)


def test_states_can_be_saved_branched_and_restored() -> None:
    env = VectorEnv(16, "full", canonical_suits=True)
    env.reset(seed=3)
    for _ in range(30):
        env.step(env.sample())
    saved = env.states.copy()
    shown = env.batch.observation.copy()
    for _ in range(60):
        env.step(env.sample())
    env.states[:] = saved
    env.refresh()
    assert np.array_equal(env.batch.observation, shown)
    env.step(env.sample())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_threads_survive_a_fork() -> None:
    env = VectorEnv(8, threads=2)
    env.reset(seed=1)
    child = os.fork()
    if child == 0:
        env.step(env.sample())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0


@pytest.mark.parametrize(
    "copier", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_go_on_exactly_alike(copier: Any) -> None:
    env = VectorEnv(8, threads=2, canonical_suits=True)
    env.reset(seed=3)
    for _ in range(25):
        env.step(env.sample())
    twin = copier(env)
    for _ in range(100):
        ours, theirs = env.step(env.sample()), twin.step(twin.sample())
        assert np.array_equal(ours.observation, theirs.observation)
        assert np.array_equal(ours.reward, theirs.reward)
    assert np.array_equal(env.states, twin.states)


def test_sample_is_uniform_over_the_legal_actions() -> None:
    env = VectorEnv(20_000)
    env.reset(seed=5)
    legal = np.flatnonzero(env.batch.action_mask[0])
    counts = np.bincount(env.sample(), minlength=NUM_ACTIONS)
    assert counts[legal].sum() == 20_000
    expected = 20_000 / len(legal)
    assert ((counts[legal] - expected) ** 2 / expected).sum() < 45  # chi-square, 19 degrees


def test_sample_draws_from_a_stream_of_its_own() -> None:
    env, other = VectorEnv(4), VectorEnv(4)
    env.reset(seed=1)
    other.reset(seed=1)
    for _ in range(10):
        other.sample()
    assert np.array_equal(env.states, other.states)
    passes = np.full(4, 57)
    for _ in range(4):
        env.step(passes)
        other.step(passes)
    assert np.array_equal(env.states, other.states)


def test_a_torch_tensor_shares_the_memory() -> None:
    torch = pytest.importorskip("torch")
    env = VectorEnv(4)
    env.reset(seed=1)
    tensor = torch.from_numpy(env.batch.observation)
    env.step(torch.full((4,), 57))
    assert np.array_equal(tensor.numpy(), env.batch.observation)


@pytest.mark.parametrize(("episode", "reward"), [("deal", "score"), ("match", "score")])
def test_returns_of_random_play_stay_small(episode: str, reward: str) -> None:
    """What a critic has to learn lies within a few units."""
    env = VectorEnv(64, episode=episode, reward=reward)
    env.reset(seed=1)
    for _ in range(200):
        assert abs(env.step(env.sample()).reward).max() <= 2.3 + 1e-6
