"""RLlib on Ray: exact rewards, legal actions, checkpoints, and a cluster that loses a worker."""

import os
import signal
import threading
import time

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="needs the extra [rllib]")
torch = pytest.importorskip("torch")

from ray.cluster_utils import Cluster  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner  # noqa: E402
from ray.rllib.evaluation.postprocessing import Postprocessing  # noqa: E402

from touti_env import IllegalAction, agent  # noqa: E402
from touti_env.adapters import rllib  # noqa: E402
from touti_env.aec import AGENTS  # noqa: E402
from touti_env.agent import BatchAgent  # noqa: E402
from touti_env.baselines import net  # noqa: E402
from touti_env.core import engine  # noqa: E402
from touti_env.core.actions import CONCEDE  # noqa: E402
from touti_env.core.state import Phase  # noqa: E402
from touti_env.notation import legal_actions  # noqa: E402
from touti_env.observation import SIZE, STATE_SIZE  # noqa: E402
from touti_env.symmetry import canonical_order, true_action  # noqa: E402
from touti_env.vector import VectorEnv  # noqa: E402
from touti_env.view import view  # noqa: E402

SMALL = {"tables": 4}


class First(BatchAgent):
    """Takes the first legal action: what it did can be told afterwards."""

    name = "first"

    def act_many(self, views, words):
        return np.array([legal_actions(view)[0] for view in views])


class Recorded(rllib.TablesEnv):
    """Keeps the deals that its episodes begin with."""

    def _open(self, **options):
        super()._open(**options)
        games, self.begun = self._games, []
        reset = games.reset

        def recorded(*arguments):
            batch = reset(*arguments)
            self.begun.append(games.states.copy())
            return batch

        games.reset = recorded


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def two_nodes():
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield
    ray.shutdown()
    cluster.shutdown()


def small(config):
    """A PPO that updates in no time."""
    return config.training(train_batch_size_per_learner=64, minibatch_size=64, num_epochs=1)


def runner_of(env_config, **options):
    """What plays for RLlib, in this process and over an environment that is recorded."""
    config = rllib.ppo_config(env_config, hidden=(32,), critic_hidden=(32,), **options)
    return MultiAgentEnvRunner(config=config.environment(Recorded))


# The reward audit: every deal is played again from what RLlib kept of it.


def decisions_at(episode, table):
    """Seat and action of each decision that RLlib kept, in the order in which they were taken."""
    kept = []
    for seat, player in enumerate(AGENTS):
        name = f"{player}@{table}"
        if name in episode.agent_episodes:
            actions = episode.agent_episodes[name].get_actions()
            steps = episode.env_t_to_agent_t[name]
            times = [t for t in range(len(steps)) if steps.get(t) in range(len(actions))]
            kept += [(t, seat, int(action)) for t, action in zip(times, actions, strict=True)]
    return [(seat, action) for _, seat, action in sorted(kept)]


def played_again(state, decisions, frozen, match):
    """What the rulebook pays each seat; asserts that all was legal and all was kept."""
    decisions, paid, order = iter(decisions), np.zeros(4), np.zeros(4, np.int8)
    while True:
        if engine.is_over(state):
            if state.scored >= 0:
                paid += np.where(np.arange(4) % 2 == state.scored, 1, -1) * state.contract / 100
            if not match or engine.match_over(state):
                assert next(decisions, None) is None
                return paid
            engine.next_deal(state)
        seen, legal = view(state, state.seat), legal_actions(state)
        choices = [action for action in legal if action != CONCEDE]
        if len(choices) == 1 and state.phase != Phase.ANSWER:
            action = choices[0]
        elif state.seat in frozen:
            action = legal_actions(seen)[0]
        else:
            seat, action = next(decisions)
            assert seat == state.seat
            canonical_order(seen, order)
            action = true_action(action, order)
        assert action in legal
        engine.apply(state, action)


@pytest.mark.parametrize(
    ("options", "rounds"),
    [
        ({}, 20),
        ({"rules": "full", "state": True}, 10),
        ({"rules": "full", "frozen": {1: First(), 3: First()}, "frozen_tables": 5}, 10),
        ({"frozen": {0: First(), 1: First(), 3: First()}, "tables": 2}, 10),
        ({"episode": "match", "tables": 2}, 1),
    ],
    ids=["standard", "full", "frozen team", "frozen but one", "match"],
)
def test_what_rllib_keeps_for_a_seat_sums_to_what_the_deal_paid_it(options, rounds):
    runner = runner_of({"tables": 8, **options})
    here, match = options.get("frozen", {}), options.get("episode") == "match"
    deals, decisions, worst = 0, 0, 0.0
    for _ in range(rounds):
        [episode] = runner.sample()
        [*_, begun] = runner.env.envs[0].unwrapped.begun
        for table in range(len(begun)):
            frozen = here if table < options.get("frozen_tables", len(begun)) else {}
            taken = decisions_at(episode, table)
            decisions += len(taken)
            paid = played_again(begun[table], taken, frozen, match)
            for seat, player in enumerate(AGENTS):
                kept = episode.agent_episodes.get(f"{player}@{table}")
                assert (kept is None) or (kept.is_terminated and seat not in frozen)
                if kept is not None:
                    worst = max(worst, abs(kept.get_return() - paid[seat]))
            deals += 1
    print(f"\n{deals} episodes, {decisions} decisions, all of them legal; error {worst:.0e}")
    assert deals == rounds * options.get("tables", 8)
    assert worst < 1e-6


def test_the_learner_is_given_these_returns_too():
    config = small(rllib.ppo_config(SMALL, hidden=(32,), critic_hidden=(32,))).training(lambda_=1.0)
    env = rllib.TablesEnv(SMALL)
    runner = MultiAgentEnvRunner(config=config)
    [episode] = runner.sample()
    due = [
        seat.get_return()
        for seat in episode.agent_episodes.values()
        for _ in range(len(seat))  # with γ = λ = 1, at each decision all that is to come
    ]
    seat = env.possible_agents[0]
    spaces = {"shared": (env.get_observation_space(seat), env.get_action_space(seat))}
    learner = config.build_learner(spaces=spaces)
    batch = learner._learner_connector(
        rl_module=learner.module,
        batch={},
        episodes=[episode],
        shared_data={},
        metrics=learner.metrics,
    )["shared"]
    counted = batch[Columns.LOSS_MASK]
    targets = batch[Postprocessing.VALUE_TARGETS][counted].tolist()
    assert len(targets) == len(due) > 50
    assert sorted(targets) == pytest.approx(sorted(due), abs=1e-5)
    taken = batch[Columns.ACTIONS][counted, None]
    assert batch[Columns.OBS]["action_mask"][counted].gather(1, taken).all()


# The environment.


def test_random_play_by_the_masks_ends_and_pays_both_teams_alike():
    env, rng = rllib.TablesEnv({"tables": 20, "state": True}), np.random.default_rng(3)
    seen, _ = env.reset(seed=5)
    assert set(seen) <= set(env.possible_agents) and len(seen) == 20
    total = {}
    while True:
        for name, observation in seen.items():
            assert env.get_observation_space(name).contains(observation)
        actions = {
            name: rng.choice(np.flatnonzero(observation["action_mask"]))
            for name, observation in seen.items()
        }
        seen, rewards, terminated, truncated, _ = env.step(actions)
        for name, reward in rewards.items():
            total[name] = total.get(name, 0.0) + reward
        if terminated["__all__"]:
            break
    assert not seen and not truncated["__all__"]
    for table in range(20):
        a, b, c, d = (total.get(f"{player}@{table}") for player in AGENTS)
        assert a is None or c is None or a == c
        assert b is None or d is None or b == d
        assert a is None or b is None or a == -b


def test_a_seed_gives_the_same_deals_and_given_again_lets_them_go_on():
    one, other = Recorded(SMALL), Recorded(SMALL)
    for env in (one, other):
        env.reset(seed=7)
        env.reset(seed=7)  # as RLlib does for each sample
        env.reset(seed=8)
    deals = [[states["dealt"].tobytes() for states in env.begun] for env in (one, other)]
    assert deals[0] == deals[1]
    assert len(set(deals[0])) == 3


def test_rllib_with_a_seed_does_not_play_the_same_deals_over_and_over():
    config = rllib.ppo_config(SMALL, hidden=(8,)).debugging(seed=1).environment(Recorded)
    runner = MultiAgentEnvRunner(config=config)
    for _ in range(3):
        runner.sample()
    begun = runner.env.envs[0].unwrapped.begun
    assert len({states["dealt"].tobytes() for states in begun}) == len(begun) == 3


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: rllib.TablesEnv({"table": 4}), TypeError, "'table'"),
        (lambda: rllib.TablesEnv({"frozen": {4: "uniform"}}), ValueError, "of 0 to 3"),
        (
            lambda: rllib.TablesEnv({"frozen": dict.fromkeys(range(4), First())}),
            ValueError,
            "three",
        ),
        (lambda: rllib.TablesEnv({"frozen_tables": 17}), ValueError, "17; 0 to 16"),
        (lambda: rllib.TablesEnv({"frozen": {2: 7}}), TypeError, r"frozen\[2\] is 7"),
        (lambda: rllib.ppo_config(policies="each"), ValueError, "valid are shared, teams"),
    ],
)
def test_bad_options_are_named(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_illegal_actions_and_missing_ones_are_refused_and_nothing_moves():
    env = rllib.TablesEnv(SMALL)
    seen, _ = env.reset(seed=1)
    legal = {name: int(one["action_mask"].argmax()) for name, one in seen.items()}
    before = env._games.states.tobytes()
    with pytest.raises(IllegalAction, match="game 0: "):
        env.step(legal | {next(iter(legal)): 0})  # a card in the auction
    with pytest.raises(ValueError, match="have to"):
        env.step(dict(list(legal.items())[1:]))
    assert env._games.states.tobytes() == before
    env.step(legal)


# The module.


def module(**keys):
    env = rllib.TablesEnv({"tables": 1, **keys})
    torch.manual_seed(4)
    return rllib.MaskedModule(
        observation_space=env.get_observation_space("player_0@0"),
        action_space=env.get_action_space("player_0@0"),
        model_config={"hidden": [48, 32], "critic_hidden": [32], "rules": {}},
    )


def positions(number=200, steps=20):
    env = VectorEnv(number, state=True, canonical_suits=True)
    env.reset(seed=3)
    for _ in range(steps):
        yield env
        env.step(env.sample())


def batch_of(env, **changed):
    parts = {
        "observation": env.batch.observation,
        "action_mask": env.batch.action_mask,
        "state": env.batch.state,
        **changed,
    }
    return {Columns.OBS: {key: torch.tensor(value) for key, value in parts.items()}}


def test_the_state_reaches_the_critic_and_never_the_policy():
    seeing, blind = module(state=True), module()
    assert seeing.critic.body[0].in_features == STATE_SIZE
    assert blind.critic.body[0].in_features == seeing.actor.body[0].in_features == SIZE
    env = next(positions())
    plain, other = batch_of(env), batch_of(env, state=env.batch.state[::-1].copy())
    logits = [seeing.forward_train(batch)[Columns.ACTION_DIST_INPUTS] for batch in (plain, other)]
    assert torch.equal(*logits)
    assert not torch.equal(*(seeing.compute_values(batch) for batch in (plain, other)))
    state = plain[Columns.OBS]["state"].requires_grad_()
    seeing.forward_train(plain)[Columns.ACTION_DIST_INPUTS].exp().square().sum().backward()
    assert state.grad is None
    seeing.compute_values(plain).sum().backward()
    assert state.grad.abs().sum() > 0
    assert torch.equal(*(blind.compute_values(batch) for batch in (plain, other)))


def test_what_plays_has_no_critic():
    config = rllib.ppo_config({**SMALL, "state": True}, hidden=(8,))
    playing = MultiAgentEnvRunner(config=config).module["shared"]
    assert not hasattr(playing, "critic") and hasattr(playing, "actor")


def test_ten_thousand_positions_and_no_illegal_action():
    player, tested = module(), 0
    with torch.no_grad():
        player.actor.head.weight.mul_(1000)
    draw = player.get_exploration_action_dist_cls()
    for env in positions(steps=60):
        logits = player.forward_exploration(batch_of(env))[Columns.ACTION_DIST_INPUTS]
        for chosen in (draw.from_logits(logits).sample(), logits.argmax(1)):
            assert env.batch.action_mask[np.arange(env.num_envs), chosen].all()
        assert draw.from_logits(logits).entropy().isfinite().all()
        tested += env.num_envs
    assert tested >= 10_000


# Training.


def weights(algorithm, policy):
    return algorithm.get_module(policy).actor.head.weight.detach().clone()


def test_each_team_has_a_policy_and_both_learn(two_nodes):
    config = small(rllib.ppo_config(SMALL, policies="teams", hidden=(32,)))
    algorithm = config.build_algo()
    before = {policy: weights(algorithm, policy) for policy in ("team_0", "team_1")}
    assert not torch.equal(*before.values())
    [episode] = algorithm.env_runner.sample()
    for name, kept in episode.agent_episodes.items():
        assert kept.module_id == f"team_{AGENTS.index(name.split('@')[0]) % 2}"
    algorithm.train()
    assert all(not torch.equal(weights(algorithm, policy), old) for policy, old in before.items())
    algorithm.stop()


def test_against_a_frozen_team_one_policy_is_enough(two_nodes):
    frozen = {1: "uniform", 3: "sane"}
    config = small(rllib.ppo_config({**SMALL, "frozen": frozen}, policies="teams", hidden=(32,)))
    assert set(config.policies) == {"team_0"}
    algorithm = config.build_algo()
    assert algorithm.train()["learners"]["team_0"]["num_module_steps_trained"] > 0
    algorithm.stop()


def test_checkpoint_restore_continue_and_export(two_nodes, tmp_path):
    config = small(rllib.ppo_config({**SMALL, "rules": "full"}, hidden=(32, 16)))
    algorithm = config.build_algo()
    algorithm.train()
    algorithm.save_to_path(tmp_path / "checkpoint")
    saved = weights(algorithm, "shared")
    algorithm.stop()

    restored = config.copy(copy_frozen=False).build_algo()
    assert not torch.equal(weights(restored, "shared"), saved)
    restored.restore_from_path(tmp_path / "checkpoint")
    assert torch.equal(weights(restored, "shared"), saved)
    assert torch.equal(weights_of_runner(restored), saved)
    result = restored.train()
    assert result["training_iteration"] == 2
    assert not torch.equal(weights(restored, "shared"), saved)
    restored.stop()

    loaded = rllib.load_module(tmp_path / "checkpoint")
    path = tmp_path / "policy.safetensors"
    rllib.export(loaded, path, {"updates": 1})
    assert net.read(path).meta["training"] == {"updates": 1}
    assert net.read(path).meta["rules"]["concession"] is True
    player = agent.load(f"net?file={path}")
    for env in positions():
        with torch.no_grad():
            logits = loaded.forward_inference(batch_of(env))[Columns.ACTION_DIST_INPUTS].numpy()
        words = np.zeros(env.num_envs, np.uint64)
        played = env.as_taken(player.act_many(env.views(), words))
        best = logits.max(1)
        assert (best - logits[np.arange(env.num_envs), played] < 1e-5).all()


def weights_of_runner(algorithm):
    return algorithm.env_runner.module["shared"].actor.head.weight


def test_a_policy_begins_as_a_file_is(two_nodes, tmp_path):
    algorithm = small(rllib.ppo_config(SMALL, hidden=(48, 32))).build_algo()
    path, again = tmp_path / "first.safetensors", tmp_path / "again.safetensors"
    rllib.export(module(), path)
    rllib.begin_with(algorithm, path)
    rllib.export(algorithm.env_runner.module["shared"], again)
    assert all(
        np.array_equal(net.read(again).tensors[k], v) for k, v in net.read(path).tensors.items()
    )
    before = weights(algorithm, "shared")
    algorithm.train()
    assert 0 < (weights(algorithm, "shared") - before).abs().max() < 0.01
    algorithm.stop()
    other = small(rllib.ppo_config(SMALL, hidden=(48, 31))).build_algo()
    with pytest.raises(ValueError, match=r"\[48, 32\]; \[48, 31\] is"):
        rllib.begin_with(other, path)
    other.stop()


def test_a_checkpoint_without_that_policy_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="team_3"):
        rllib.load_module(tmp_path, "team_3")


def test_on_two_nodes_training_goes_on_when_a_worker_is_killed(two_nodes):
    config = rllib.ppo_config(SMALL, hidden=(32,), runners=2)
    algorithm = config.training(train_batch_size_per_learner=512, num_epochs=1).build_algo()
    runners = algorithm.env_runner_group
    where = runners.foreach_env_runner(
        lambda _: (ray.get_runtime_context().get_node_id(), os.getpid()), local_env_runner=False
    )
    assert len({node for node, _ in where}) == 2

    def update():
        steps = algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"]
        at_work = runners.num_healthy_remote_workers()
        print(f"update {algorithm.iteration}: {steps:.0f} steps, {at_work} of 2 workers play")
        return at_work

    assert update() == 2
    node, victim = where[0]
    print(f"worker {victim} on node {node[:8]} is killed while it plays")
    threading.Timer(0.2, os.kill, (victim, signal.SIGKILL)).start()
    before, at_work, deadline = weights(algorithm, "shared"), [], time.monotonic() + 300
    while time.monotonic() < deadline and not (1 in at_work and at_work[-1] == 2):
        at_work.append(update())
    assert at_work[-1] == 2
    assert not torch.equal(weights(algorithm, "shared"), before)
    algorithm.stop()
