"""A trained network as an Agent, and the file it is kept in.

The file's format, and what is checked when one is read, are those of `touti_env.baselines.net`,
which plays the same files without torch. Here they come from torch and go to it:
`agent.load("agents.policy?checkpoint=runs/default/policy.safetensors")` plays one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from touti_env.adapters.networks import masked_log_softmax
from touti_env.agent import Actions, BatchAgent, Words
from touti_env.baselines import net
from touti_env.core.rules import Rules
from touti_env.core.state import State, States
from touti_env.symmetry import Orders, true_actions

from .network import Actor, Belief, draw


class NetPolicy(BatchAgent):
    """An actor network at the table: it samples, or takes its likeliest action if `greedy`."""

    def __init__(self, actor: Actor, name: str = "net", greedy: bool = False) -> None:
        self.actor = actor.eval()
        self.name = name
        self.greedy = greedy

    def act_many(self, views: States, words: Words) -> Actions:
        """Legal action ids, int64[N]; the words choose among the probabilities."""
        log_probs, orders = self._log_probs(views)
        if self.greedy:
            chosen = log_probs.argmax(1)
        else:
            chosen = draw(log_probs, torch.from_numpy((words >> np.uint64(11)) / 2.0**53))
        return true_actions(chosen.numpy(), orders)

    def probs(self, view: State) -> npt.NDArray[np.float32]:
        """The probability of every action, float32[72], 0 for illegal ones."""
        views = np.empty(1, view.dtype)
        views[0] = view
        log_probs, orders = self._log_probs(views)
        return net.in_true_suits(log_probs[0].exp().numpy(), orders[0])

    def _log_probs(self, views: States) -> tuple[Tensor, Orders]:
        """Log-probabilities [N, A] in the suits that the actor sees, and their orders [N, 4]."""
        seen, masks, orders = net.see(views, self.actor.canonical)
        with torch.inference_mode():
            logits = self.actor(torch.from_numpy(seen).to(self.actor.device)).cpu()
            return masked_log_softmax(logits, torch.from_numpy(masks)), orders


def save(
    path: str | Path,
    actor: Actor,
    rules: Rules,
    training: dict[str, Any],
    belief: Belief | None = None,
    half: bool = False,
) -> None:
    """Write a policy file, whole or not at all; `half` keeps the weights as float16."""
    weights = actor.state_dict()
    if belief is not None:
        weights |= {f"{net.BELIEF}{key}": value for key, value in belief.state_dict().items()}
    kind = torch.float16 if half else torch.float32
    tensors = {key: value.to("cpu", kind).numpy() for key, value in weights.items()}
    belief_hidden = None if belief is None else belief.hidden
    net.write(path, tensors, actor.hidden, rules, training, actor.canonical, belief_hidden)


def read(path: str | Path) -> tuple[Actor, dict[str, Any]]:
    """The actor of a policy file and its metadata.

    Raises:
        FileNotFoundError: There is no such file.
        PolicyError: It is corrupt, foreign, or was trained on another observation or action table.
    """
    policy = net.read(path)
    actor = Actor(tuple(policy.meta["hidden"]), policy.canonical)
    actor.load_state_dict({key: torch.from_numpy(value) for key, value in policy.tensors.items()})
    return actor, policy.meta


def load(checkpoint: str, greedy: bool = True) -> NetPolicy:
    """The agent that a policy file holds, for `agent.load`; by default it does not gamble."""
    actor, _ = read(checkpoint)
    return NetPolicy(actor, Path(checkpoint).parent.name or "net", greedy)
