"""A trained network as an Agent, and the file it is kept in.

A policy file is safetensors: the actor's weights, and as metadata all that its numbers mean: the
versions of the observation and of the rules, the rules themselves, a digest of the action table,
and how it was trained. `agent.load("agents.policy?checkpoint=runs/default/policy.safetensors")`
plays it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from touti_env import observation
from touti_env.agent import Actions, BatchAgent, Words
from touti_env.core.actions import NUM_ACTIONS
from touti_env.core.rules import RULES_VERSION, Rules
from touti_env.core.state import Phase, State, States
from touti_env.notation import name
from touti_env.symmetry import true_actions

from .network import Actor, draw, masked_log_softmax

FORMAT = "touti-policy-1"


class PolicyError(ValueError):
    """A file that is no policy, or a policy for something else."""


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
        shown = log_probs[0].exp().numpy()
        table = np.zeros(NUM_ACTIONS, np.float32)
        every = np.arange(NUM_ACTIONS)
        table[true_actions(every, np.repeat(orders, NUM_ACTIONS, 0))] = shown
        return table

    def _log_probs(self, views: States) -> tuple[Any, Any]:
        """Log-probabilities [N, A] in canonical suits, and the suits' orders [N, 4]."""
        number = len(views)
        orders = np.zeros((number, 4), np.int8)
        masks = np.zeros((number, NUM_ACTIONS), np.int8)
        seen = np.zeros((number, observation.SIZE), np.float32)
        observation.observe_all(views.copy(), True, orders, masks, seen)
        with torch.inference_mode():
            logits = self.actor(torch.from_numpy(seen))
            return masked_log_softmax(logits, torch.from_numpy(masks)), orders


def action_digest() -> str:
    """A short digest of the action table: the word of every id in every phase."""
    words = [name(action, phase) for phase in Phase for action in range(NUM_ACTIONS)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def save(path: str | Path, actor: Actor, rules: Rules, training: dict[str, Any]) -> None:
    """Write a policy file, whole or not at all."""
    path = Path(path)
    meta = {
        "format": FORMAT,
        "hidden": list(actor.hidden),
        "observation_version": observation.VERSION,
        "observation_size": observation.SIZE,
        "actions": action_digest(),
        "rules_version": RULES_VERSION,
        "rules": rules.asdict(),
        "training": training,
    }
    tensors = {key: value.detach().cpu().clone() for key, value in actor.state_dict().items()}
    part = path.with_suffix(".part")
    save_file(tensors, part, metadata={"touti": json.dumps(meta)})
    part.replace(path)


def read(path: str | Path) -> tuple[Actor, dict[str, Any]]:
    """The actor of a policy file and its metadata.

    Raises:
        FileNotFoundError: There is no such file.
        PolicyError: It is corrupt, foreign, or was trained on another observation or action table.
    """
    try:
        with safe_open(str(path), "pt") as file:
            meta = json.loads((file.metadata() or {}).get("touti", "{}"))
            tensors = {key: file.get_tensor(key) for key in file.keys()}
    except (SafetensorError, json.JSONDecodeError) as error:
        raise PolicyError(f"{path} is no policy file: {error}") from error
    _check(path, meta)
    actor = Actor(tuple(meta["hidden"]))
    try:
        actor.load_state_dict(tensors)
    except RuntimeError as error:
        raise PolicyError(f"{path}: the weights do not fit its own metadata: {error}") from error
    return actor, meta


def _check(path: str | Path, meta: dict[str, Any]) -> None:
    """Refuse a policy whose numbers mean something else here."""
    meant = {
        "format": FORMAT,
        "observation_version": observation.VERSION,
        "observation_size": observation.SIZE,
        "actions": action_digest(),
        "rules_version": RULES_VERSION,
    }
    for key, value in meant.items():
        if meta.get(key) != value:
            raise PolicyError(f"{path}: {key} is {meta.get(key)!r}; {value!r} can be played")


def load(checkpoint: str, greedy: bool = True) -> NetPolicy:
    """The agent that a policy file holds, for `agent.load`; by default it does not gamble."""
    actor, _ = read(checkpoint)
    return NetPolicy(actor, Path(checkpoint).parent.name or "net", greedy)
