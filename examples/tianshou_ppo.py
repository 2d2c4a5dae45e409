"""PPO of Tianshou learns to play Touti from one seat.

    pip install ".[tianshou]"
    python examples/tianshou_ppo.py

`heuristic`, a club player, sits in the three other seats.
"""

from __future__ import annotations

import argparse

import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net

from touti_env import agent, arena
from touti_env.adapters.policy import PolicyAgent
from touti_env.adapters.tianshou import Critic, MaskedActor, make_env

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--steps", type=int, default=120_000, help="decisions to learn from")
parser.add_argument("--deals", type=int, default=2000, help="duplicate deals of the evaluation")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
torch.manual_seed(options.seed)

TABLES, STEPS = 8, 4096


def table():
    """The learner sits in a seat drawn for each deal, and is asked where there is a choice."""
    return make_env(seat=None, canonical_suits=True, play_forced=True)


tables = DummyVectorEnv([table] * TABLES)
tables.seed(options.seed)
spaces = table()
shape = spaces.observation_space["obs"].shape
body = Net(state_shape=shape, hidden_sizes=[256, 256])
# Tianshou's own actor does not look at the mask; this one does.
actor = MaskedActor(preprocess_net=body, action_shape=spaces.action_space.n)
critic = Critic(preprocess_net=Net(state_shape=shape, hidden_sizes=[256, 256]))
policy = DiscreteActorPolicy(actor=actor, action_space=spaces.action_space, deterministic_eval=True)
algorithm = PPO(
    policy=policy,
    critic=critic,
    optim=AdamOptimizerFactory(lr=5e-4),
    gamma=1.0,  # a deal is short, and paid at its end
    ent_coef=0.01,
    max_grad_norm=0.5,
)
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=Collector(policy, tables, VectorReplayBuffer(STEPS, TABLES)),
        max_epochs=1,
        epoch_num_steps=options.steps,
        collection_step_num_env_steps=STEPS,
        update_step_num_repetitions=4,
        batch_size=1024,
    )
)


def likeliest(observations, masks):
    """What the policy does, for the arena."""
    seen = Batch(obs=Batch(obs=observations, mask=masks != 0), info={})
    with torch.no_grad():
        return policy(seen).act.numpy()


# The learned policy in both seats of a team, on deals that no training has seen.
player = PolicyAgent(likeliest, "tianshou", canonical_suits=True)
for name in ("uniform", "heuristic"):
    print(arena.duplicate(player, agent.load(name), options.deals).table(), "\n")
