"""A trained network, played with NumPy alone; and what is in a policy file.

A policy file is safetensors, of float32 or float16. Its tensors are the layers of a perceptron from
observations to a logit for each action, with ReLU after every layer but the last; weights are
[outputs, inputs]:

| tensor | layer |
|---|---|
| `body.0.weight`, `body.0.bias`, `body.2.weight`, ... | the inner ones, in order |
| `head.weight`, `head.bias` | the last |
| `belief.body.0.weight`, ..., `belief.head.bias` | all of a second perceptron, or none |

The second one reads the table: from an observation to a logit for each other seat (the next, the
partner, the previous) and each card, of how likely the seat holds the card, if it is unseen.

Its metadata is JSON under the key `touti`. It tells all that the numbers mean:

| key | what |
|---|---|
| `format` | `touti-policy-1` |
| `hidden`, `belief_hidden` | the widths of the inner layers of either; null if there is no second |
| `observation_version`, `observation_size` | what it was trained to see |
| `canonical_suits` | whether each seat sees canonical suits, as it does where this is missing |
| `actions` | a digest of the action table |
| `rules_version`, `rules` | what it was trained to play |
| `training` | how |

A file that was made for another observation, action table or version of the rules is refused.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from .. import observation
from ..agent import Actions, BatchAgent, Words
from ..core.actions import NUM_ACTIONS
from ..core.cards import CARDS, SEATS, SUIT_SIZE, SUITS
from ..core.rules import RULES_VERSION, Rules
from ..core.state import Mask, Phase, State, States, copy_states
from ..files import open_to_others
from ..notation import name as word_of
from ..symmetry import Orders, true_actions

Floats: TypeAlias = npt.NDArray[np.float32]
Layers: TypeAlias = list[tuple[Floats, Floats]]
"""The weights, [inputs, outputs], and biases of a perceptron."""

FORMAT = "touti-policy-1"
KEY = "touti"
BELIEF = "belief."
SHIPPED = Path(__file__).resolve().parent.parent / "data" / "net.safetensors"
"""The policy that comes with the package."""


class PolicyError(ValueError):
    """A file that is no policy, or a policy for something else."""


@dataclass(frozen=True)
class Policy:
    """What a policy file holds.

    Attributes:
        tensors: The policy's layers, float32 arrays by name, in order.
        belief: The layers of the perceptron that reads the table, likewise; empty if there is none.
        meta: The metadata.
    """

    tensors: dict[str, Floats]
    belief: dict[str, Floats]
    meta: dict[str, Any]

    @property
    def canonical(self) -> bool:
        """Whether it sees and names suits in each seat's canonical order."""
        canonical: bool = self.meta.get("canonical_suits", True)
        return canonical

    @property
    def belief_hidden(self) -> tuple[int, ...] | None:
        """The widths of the inner layers of what reads the table, if there is such a thing."""
        return _belief_hidden(self.meta)


def _belief_hidden(meta: dict[str, Any]) -> tuple[int, ...] | None:
    widths = meta.get("belief_hidden")
    return None if widths is None else tuple(widths)


@cache
def action_digest() -> str:
    """A short digest of the action table: the word of every id in every phase."""
    words = [word_of(action, phase) for phase in Phase for action in range(NUM_ACTIONS)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def metadata(
    hidden: tuple[int, ...],
    rules: Rules,
    training: dict[str, Any],
    canonical: bool = True,
    belief_hidden: tuple[int, ...] | None = None,
) -> dict[str, str]:
    """The metadata of a file for a policy that was trained here, as safetensors wants it."""
    meta = {
        **_meant(),
        "hidden": list(hidden),
        "belief_hidden": None if belief_hidden is None else list(belief_hidden),
        "canonical_suits": canonical,
        "rules": rules.asdict(),
        "training": training,
    }
    return {KEY: json.dumps(meta)}


def _meant() -> dict[str, Any]:
    """What a file must say to be playable here."""
    return {
        "format": FORMAT,
        "observation_version": observation.VERSION,
        "observation_size": observation.SIZE,
        "actions": action_digest(),
        "rules_version": RULES_VERSION,
    }


def shapes(
    hidden: tuple[int, ...], belief_hidden: tuple[int, ...] | None = None
) -> dict[str, tuple[int, ...]]:
    """The name and shape of every tensor of a file, for inner layers of these widths."""
    layers = _layers("", hidden, NUM_ACTIONS)
    if belief_hidden is not None:
        layers |= _layers(BELIEF, belief_hidden, (SEATS - 1) * CARDS)
    return layers


def _layers(part: str, hidden: tuple[int, ...], outputs: int) -> dict[str, tuple[int, ...]]:
    """The tensors of one of the perceptrons."""
    widths = (observation.SIZE, *hidden, outputs)
    names = [*(f"body.{2 * layer}" for layer in range(len(hidden))), "head"]
    layers: dict[str, tuple[int, ...]] = {}
    for layer, fan_in, fan_out in zip(names, widths, widths[1:], strict=False):
        layers[f"{part}{layer}.weight"] = (fan_out, fan_in)
        layers[f"{part}{layer}.bias"] = (fan_out,)
    return layers


def write(
    path: str | Path,
    tensors: dict[str, npt.NDArray[Any]],
    hidden: tuple[int, ...],
    rules: Rules,
    training: dict[str, Any],
    canonical: bool = True,
    belief_hidden: tuple[int, ...] | None = None,
) -> None:
    """Write a policy file, whole or not at all.

    Raises:
        PolicyError: The tensors are not those of `shapes(hidden, belief_hidden)`.
    """
    path = Path(path)
    _checked(path, tensors, shapes(hidden, belief_hidden))
    part = path.with_suffix(".part")
    save_file(tensors, part, metadata(hidden, rules, training, canonical, belief_hidden))
    open_to_others(part)
    part.replace(path)


def read(path: str | Path) -> Policy:
    """The policy of a file.

    Raises:
        FileNotFoundError: There is no such file.
        PolicyError: It is corrupt, foreign, or was trained on another observation or action table.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path or repr(path)}: there is no such policy file")
    try:
        with safe_open(str(path), "np") as file:
            meta = json.loads((file.metadata() or {}).get(KEY, "{}"))
            _check(path, meta)
            tensors = {key: file.get_tensor(key) for key in file.keys()}
    except (SafetensorError, json.JSONDecodeError, TypeError) as error:
        raise PolicyError(f"{path} is no policy file: {error}") from error
    checked = _checked(path, tensors, shapes(tuple(meta["hidden"]), _belief_hidden(meta)))
    belief = {key: tensor for key, tensor in checked.items() if key.startswith(BELIEF)}
    policy = {key: tensor for key, tensor in checked.items() if key not in belief}
    return Policy(policy, belief, meta)


def _check(path: str | Path, meta: Any) -> None:
    """Refuse a policy whose numbers mean something else here."""
    if not isinstance(meta, dict):
        raise PolicyError(f"{path} is no policy file: its metadata is {meta!r}")
    for key, value in _meant().items():
        if meta.get(key) != value:
            raise PolicyError(f"{path}: {key} is {meta.get(key)!r}; {value!r} can be played")
    for key in ("hidden", "belief_hidden"):
        hidden = meta.get(key)
        if hidden is None and key == "belief_hidden":
            continue
        widths = hidden if isinstance(hidden, list) else [None]
        if not all(type(width) is int and width > 0 for width in widths):
            valid = "a list of widths of 1 or more is valid"
            raise PolicyError(f"{path}: {key} is {hidden!r}; {valid}")
    canonical = meta.get("canonical_suits", True)
    if type(canonical) is not bool:
        raise PolicyError(f"{path}: canonical_suits is {canonical!r}; true or false is valid")


def _checked(
    path: str | Path, tensors: dict[str, npt.NDArray[Any]], expected: dict[str, tuple[int, ...]]
) -> dict[str, Floats]:
    """The tensors as float32, in the order of the layers, if they are what the metadata says."""
    problem = f"{path}: the weights do not fit its own metadata"
    if tensors.keys() != expected.keys():
        raise PolicyError(f"{problem}: it has {sorted(tensors)}; {sorted(expected)} are needed")
    for key, shape in expected.items():
        tensor = tensors[key]
        if tensor.shape != shape:
            raise PolicyError(f"{problem}: {key} is of shape {tensor.shape}; {shape} is needed")
        if tensor.dtype not in (np.float32, np.float16):
            raise PolicyError(f"{path}: {key} is {tensor.dtype}; float32 or float16 is valid")
        if not np.isfinite(tensor).all():
            raise PolicyError(f"{path}: {key} has numbers that are not finite")
    return {key: tensors[key].astype(np.float32) for key in expected}


def see(views: States, canonical: bool = True) -> tuple[Floats, Mask, Orders]:
    """What a policy is shown of `views`, STATE[N].

    Returns:
        Observations, float32[N, SIZE], and legal actions, int8[N, 72], in each viewer's canonical
        suits, or the table's; and these suits' orders, int8[N, 4].
    """
    number = len(views)
    orders = np.tile(np.arange(SUITS, dtype=np.int8), (number, 1))
    masks = np.zeros((number, NUM_ACTIONS), np.int8)
    seen = np.zeros((number, observation.SIZE), np.float32)
    observation.observe_all(copy_states(views), canonical, orders, masks, seen)
    return seen, masks, orders


def in_true_suits(probabilities: Floats, order: Orders) -> Floats:
    """A table of probabilities, float32[72], that was in suits of the `order`, int8[4]."""
    table = np.zeros(NUM_ACTIONS, np.float32)
    every = np.arange(NUM_ACTIONS)
    table[true_actions(every, np.repeat(order[None], NUM_ACTIONS, 0))] = probabilities
    return table


class Net(BatchAgent):
    """A policy at the table.

    Args:
        policy: What it plays.
        name: What tables call it.
        greedy: Whether it takes its likeliest action; otherwise it draws one by its probabilities.
    """

    def __init__(self, policy: Policy, name: str = "net", greedy: bool = True) -> None:
        self._layers = _ready(policy.tensors)
        self._belief = _ready(policy.belief)
        self._canonical = policy.canonical
        self.name = name
        self.greedy = greedy

    @property
    def reads(self) -> bool:
        """Whether it has a `belief`."""
        return bool(self._belief)

    def act_many(self, views: States, words: Words) -> Actions:
        """Legal action ids, int64[N]; where it is not greedy, the words choose."""
        seen, masks, orders = see(views, self._canonical)
        logits = self._logits(seen, masks)
        chosen = logits.argmax(1) if self.greedy else _draw(_softmax(logits), words)
        return true_actions(chosen, orders)

    def probs(self, view: State) -> Floats:
        """The probability of every action, float32[72], 0 for illegal ones."""
        seen, masks, orders = self._see(view)
        return in_true_suits(_softmax(self._logits(seen, masks))[0], orders[0])

    def belief(self, view: State) -> Floats | None:
        """How likely each seat holds each card, as far as the view tells.

        Returns:
            Probabilities, float32[4, 40], of unseen cards; each card's sum to 1, and the viewer's
            are 0. Where a seat has shown to lack a card they mean nothing. None if the policy's
            file does not say.
        """
        if not self.reads:
            return None
        seen, _, [order] = self._see(view)
        logits = _through(self._belief, seen).reshape(SEATS - 1, SUITS, SUIT_SIZE)
        likely = np.zeros((SEATS, SUITS, SUIT_SIZE), np.float32)
        others = (view.viewer + np.arange(1, SEATS)) % SEATS
        likely[others[:, None], order] = _softmax(logits.transpose(1, 2, 0)).transpose(2, 0, 1)
        return likely.reshape(SEATS, CARDS)

    def _see(self, view: State) -> tuple[Floats, Mask, Orders]:
        views = np.empty(1, view.dtype)
        views[0] = view
        return see(views, self._canonical)

    def _logits(self, seen: Floats, masks: Mask) -> Floats:
        """The logits, float32[N, 72], of observations; minus infinity for illegal actions."""
        logits = _through(self._layers, seen)
        logits[masks == 0] = -np.inf
        return logits


def _ready(tensors: dict[str, Floats]) -> Layers:
    """The tensors of a perceptron as they are multiplied."""
    arrays = list(tensors.values())
    return [
        (np.ascontiguousarray(weight.T), bias)
        for weight, bias in zip(arrays[::2], arrays[1::2], strict=True)
    ]


def _through(layers: Layers, x: Floats) -> Floats:
    """What a perceptron makes of rows of numbers."""
    (weight, bias), *later = layers
    x = x @ weight + bias
    for weight, bias in later:
        x = np.maximum(x, 0, out=x) @ weight
        x += bias
    return x


def _softmax(logits: Floats) -> Floats:
    """Probabilities, float32[..., A]; each row has a finite logit."""
    probabilities: Floats = np.exp(logits - logits.max(-1, keepdims=True))
    probabilities /= probabilities.sum(-1, keepdims=True)
    return probabilities


def _draw(probabilities: Floats, words: Words) -> Actions:
    """An action for each row, int64[N], drawn by a word of its own; never one of probability 0."""
    edges = probabilities.cumsum(1)
    most = edges[:, -1]
    uniform = ((words >> np.uint64(11)) / 2.0**53).astype(np.float32)
    # Rounding must not reach the last edge, beyond which there is no action.
    point = np.minimum(uniform * most, np.nextafter(most, np.float32(0)))
    return np.asarray((edges <= point[:, None]).sum(1), np.int64)


def load(file: str = str(SHIPPED), greedy: bool = True) -> Net:
    """The policy that comes with the package, or that of another `file`.

    It takes its likeliest action; `net?greedy=false` draws one by its probabilities.
    """
    path = Path(file)
    name = path.parent.name if path.stem == "policy" else path.stem
    return Net(read(file), name or "net", greedy)
