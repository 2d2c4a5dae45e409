"""Self-play PPO with RLlib: on a laptop, with more processes, or on a cluster.

    pip install ".[rllib]"
    python examples/rllib_selfplay.py                             one process plays and learns
    python examples/rllib_selfplay.py --runners 2                 two more play
    python examples/rllib_selfplay.py --runners 30 --address auto     on a cluster
    python examples/rllib_selfplay.py --resume --minutes 10       goes on from the last checkpoint

On a cluster every node needs touti-env installed: its workers import the environment by name. The
run is left in `runs/rllib`: a checkpoint, and a policy file that `touti arena` and `touti play`
take as `net?file=runs/rllib/policy.safetensors`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm

from touti_env import agent, arena
from touti_env.adapters import rllib
from touti_env.adapters.networks import masked_log_softmax
from touti_env.vector import VectorEnv

TABLES = 16


def main() -> None:
    options = parse()
    folder = options.folder.resolve()
    torch.set_num_threads(1)  # the networks are small: a second thread would wait more than work
    if options.address:
        ray.init(address=options.address)
    else:
        ray.init(num_cpus=options.runners + 1, include_dashboard=False)

    # A ready PPOConfig: the tables, the masked policy, and the settings that exact returns need.
    # At half the tables one policy plays all four seats, at the others it meets players who stay as
    # they are.
    tables = {
        "tables": TABLES,
        "frozen": {1: "heuristic", 3: "heuristic"},
        "frozen_tables": TABLES // 2,
        "state": True,  # the critic sees all four hands, the policy never
    }
    config = rllib.ppo_config(tables, runners=options.runners)
    # RLlib's own methods change the rest.
    config.training(lr=3e-4, entropy_coeff=0.01)

    # `--resume`: the same algorithm is built, and takes over all that the checkpoint holds.
    algorithm = config.build_algo()
    if options.resume:
        algorithm.restore_from_path(folder / "checkpoint")
    else:
        imitate(algorithm.get_module("shared"), 200, folder / "start.safetensors")
        rllib.begin_with(algorithm, folder / "start.safetensors")
    train(algorithm, 60 * options.minutes)
    algorithm.save_to_path(folder / "checkpoint")
    algorithm.stop()
    ray.shutdown()

    # The policy file needs neither Ray nor torch to be played.
    policy = folder / "policy.safetensors"
    rllib.export(rllib.load_module(folder / "checkpoint"), policy)
    player = agent.load(f"net?file={policy}")
    for opponent in ("uniform", "heuristic", f"net?file={folder / 'start.safetensors'}"):
        print(arena.duplicate(player, agent.load(opponent), options.deals).table(), flush=True)


def imitate(module: rllib.MaskedModule, updates: int, path: Path) -> None:
    """Teach a policy what `heuristic` would do, and leave it in a policy file.

    Chance bids so high and plays so badly that whoever begins with it learns first never to bid,
    and then has nothing more to learn from.
    """
    print(f"imitating heuristic, {updates} times 256 decisions", flush=True)
    games = VectorEnv(256, canonical_suits=True, play_forced=True)
    batch, chance = games.reset(seed=1), np.random.default_rng(1)
    teacher = agent.load("heuristic")
    optimizer = torch.optim.Adam(module.actor.parameters(), 1e-3)
    for _ in range(updates):
        words = chance.integers(2**64, size=256, dtype=np.uint64)
        actions = games.as_taken(agent.act_many(teacher, games.views(), words))
        logits = module.actor(torch.tensor(batch.observation))
        log_probs = masked_log_softmax(logits, torch.tensor(batch.action_mask))
        loss = torch.nn.functional.nll_loss(log_probs, torch.tensor(actions))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        games.step(actions)
    path.parent.mkdir(parents=True, exist_ok=True)
    rllib.export(module, path, {"imitates": "heuristic"})


def train(algorithm: Algorithm, seconds: float) -> None:
    """Update after update, until the time is up."""
    begun = time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        result = algorithm.train()
        learner = result["learners"]["shared"]
        # In self-play the mean return is 0 by the rules. What can be watched is how sure the
        # policy is, and how much of the returns the critic foresees.
        print(
            f"{passed:4.0f} s  update {result['training_iteration']:3d}  "
            f"deals {result['env_runners']['num_episodes_lifetime'] * TABLES:6.0f}  "
            f"entropy {learner['entropy']:.2f}  "
            f"explained variance {learner['vf_explained_var']:.2f}",
            flush=True,
        )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Self-play PPO with RLlib.")
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0: this one")
    parser.add_argument("--address", help="of a Ray cluster, or auto; none: this machine alone")
    parser.add_argument("--minutes", type=float, default=5, help="of training")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--folder", type=Path, default=Path("runs/rllib"), help="of the run")
    parser.add_argument("--deals", type=int, default=2000, help="of the final matches")
    return parser.parse_args()


if __name__ == "__main__":
    main()
