"""The mask is where Tianshou's policies look for it."""

import numpy as np
import pytest

pytest.importorskip("tianshou")

import torch
from gymnasium.utils.env_checker import check_env
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net

from benchmarks.reward_audit import AuditedSeat
from touti_env import SingleEnv
from touti_env.adapters.tianshou import Critic, MaskedActor, ObsMask, make_env

OPTIONS = {"partner": "uniform", "opponents": "uniform", "rules": "full"}
pytestmark = pytest.mark.filterwarnings("ignore")


def net(outputs: int = 0) -> Net:
    return Net(state_shape=SHAPE, action_shape=outputs, hidden_sizes=[8])


SHAPE = make_env().observation_space["obs"].shape
ACTIONS = int(make_env().action_space.n)


def actor_policy() -> DiscreteActorPolicy:
    actor = MaskedActor(preprocess_net=net(), action_shape=ACTIONS)
    return DiscreteActorPolicy(actor=actor, action_space=make_env().action_space)


def q_policy() -> DiscreteQLearningPolicy:
    return DiscreteQLearningPolicy(
        model=net(ACTIONS), action_space=make_env().action_space, eps_training=1, eps_inference=0.5
    )


def test_it_is_a_gymnasium_env() -> None:
    check_env(make_env(on_illegal="terminate", **OPTIONS), skip_render_check=True)


@pytest.mark.parametrize("make", [actor_policy, q_policy])
def test_policies_obey_the_mask(make) -> None:
    torch.manual_seed(0)
    tables = [AuditedSeat(SingleEnv(**OPTIONS)) for _ in range(3)]
    envs = DummyVectorEnv([lambda table=table: ObsMask(table) for table in tables])
    buffer = VectorReplayBuffer(1500, 3)
    collector = Collector(make(), envs, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_step=900)
    assert sum(table.decisions for table in tables) == 900
    assert not any(table.illegal for table in tables)
    for part in buffer.buffers:
        assert part.obs.mask[np.arange(300), part.act[:300]].all()


def test_the_random_policy_obeys_the_mask() -> None:
    env = make_env(**OPTIONS)
    policy = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space).policy
    seen, _ = env.reset(seed=0)
    many = Batch(obs=Batch(mask=np.repeat(seen["mask"][None], 200, 0)), info={})
    assert set(policy(many).act) == set(np.flatnonzero(seen["mask"]))


def test_gradients_are_finite_and_illegal_actions_impossible() -> None:
    env = make_env(**OPTIONS)
    seen, _ = env.reset(seed=0)
    batch = Batch(obs=Batch(obs=seen["obs"][None], mask=seen["mask"][None]), info={})
    policy = actor_policy()
    chances = policy(batch).dist
    assert (chances.probs[0, ~seen["mask"]] == 0).all()
    (chances.entropy() + chances.log_prob(torch.tensor([int(seen["mask"].argmax())]))).backward()
    assert all(weight.grad.isfinite().all() for weight in policy.parameters())
    assert Critic(preprocess_net=net())(batch.obs).shape == (1, 1)
