"""PPO of TorchRL learns to play Touti by self-play: one policy in all four seats.

pip install ".[torchrl]"
python examples/torchrl_ppo.py
"""

from __future__ import annotations

import argparse

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from touti_env import agent, arena
from touti_env.adapters.policy import PolicyAgent
from touti_env.adapters.torchrl import Decisions, ToutiEnv
from touti_env.core.actions import NUM_ACTIONS
from touti_env.observation import SIZE, STATE_SIZE

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--steps", type=int, default=600_000, help="decisions to learn from")
parser.add_argument("--deals", type=int, default=2000, help="duplicate deals of the evaluation")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
torch.manual_seed(options.seed)


def perceptron(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(
        nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, outputs)
    )


# 64 games at once; what the critic sees, all four hands, is for training only.
games = ToutiEnv(64, state=True, canonical_suits=True, play_forced=True)
games.set_seed(options.seed)
policy = ProbabilisticActor(
    TensorDictModule(perceptron(SIZE, NUM_ACTIONS), ["observation"], ["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    out_keys=["action"],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = TensorDictModule(perceptron(STATE_SIZE, 1), ["state"], ["state_value"])
loss = ClipPPOLoss(policy, critic, entropy_coeff=0.01, normalize_advantage=True)
advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
optimiser = torch.optim.Adam(loss.parameters(), lr=5e-4)
collector = Collector(games, policy, frames_per_batch=4096, total_frames=options.steps)
decisions = Decisions()

learned = 0
for number, data in enumerate(collector, 1):
    # Each seat's own decisions, in order, with all that was paid until the next.
    rows = decisions(data)
    with torch.no_grad():
        advantages(rows)
    for _ in range(4):
        for part in torch.randperm(len(rows)).split(1024):
            terms = loss(rows[part])
            optimiser.zero_grad()
            sum(terms[key] for key in terms.keys() if key.startswith("loss_")).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimiser.step()
    learned += len(rows)
    if number % 10 == 0:
        paid = rows["next", "reward"].abs().sum() / rows["next", "done"].sum()
        print(f"{learned} decisions, {paid:.2f} won or lost a deal, {terms['entropy']:.2f} entropy")
collector.shutdown()


def likeliest(observations, masks):
    """What the policy would do, for the arena."""
    seen = {"observation": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks)}
    with torch.no_grad():
        logits = policy(TensorDict(seen, [len(masks)]).apply(_as_trained))["logits"]
    return logits.masked_fill(seen["action_mask"] == 0, -torch.inf).argmax(-1).numpy()


def _as_trained(entry):
    return entry.bool() if entry.dtype == torch.int8 else entry


# The learned policy in both seats of a team, on deals that no training has seen.
player = PolicyAgent(likeliest, "torchrl", canonical_suits=True)
for name in ("uniform", "heuristic"):
    print(arena.duplicate(player, agent.load(name), options.deals).table(), "\n")
