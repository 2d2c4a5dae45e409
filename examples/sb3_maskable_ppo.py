"""MaskablePPO of sb3-contrib learns to play Touti from one seat.

    pip install ".[sb3]"
    python examples/sb3_maskable_ppo.py

At first `heuristic`, a club player, sits in the three other seats. Half way through, the learner's
own policy takes the partner's seat.
"""

from __future__ import annotations

import argparse

from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from touti_env import agent, arena
from touti_env.adapters.policy import PolicyAgent

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--steps", type=int, default=300_000, help="decisions to learn from")
parser.add_argument("--deals", type=int, default=2000, help="duplicate deals of the evaluation")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

# Eight tables, whose learner sits in a seat drawn for each deal. The reward of a step is all that
# was paid until the seat's next decision, so Stable-Baselines3 may treat it like any environment.
tables = make_vec_env(
    "touti/Touti-v0",
    n_envs=8,
    seed=options.seed,
    env_kwargs={
        "render_mode": None,  # by itself, make_vec_env asks for pixels
        "partner": "heuristic",
        "opponents": "heuristic",
        "seat": None,
        "canonical_suits": True,  # the rules do not tell one suit from another
        "play_forced": True,  # ask only where there is a choice
    },
)
model = MaskablePPO(
    "MultiInputPolicy",  # a dictionary of observation and mask
    tables,
    n_steps=512,
    batch_size=1024,
    n_epochs=4,
    learning_rate=5e-4,
    gamma=1.0,  # a deal is short, and paid at its end
    ent_coef=0.01,
    policy_kwargs={"net_arch": [256, 256]},
    seed=options.seed,
    verbose=1,
)


def likeliest(observations, masks):
    """What the policy would do, for the arena and for the seats beside the learner."""
    seen = {"observation": observations, "action_mask": masks}
    return model.predict(seen, action_masks=masks, deterministic=True)[0]


player = PolicyAgent(likeliest, "sb3", canonical_suits=True)

model.learn(options.steps // 2)
tables.env_method("seat_agents", partner=player)
model.learn(options.steps - options.steps // 2, reset_num_timesteps=False)

# The learned policy in both seats of a team, on deals that no training has seen.
for name in ("uniform", "heuristic"):
    print(arena.duplicate(player, agent.load(name), options.deals).table(), "\n")
