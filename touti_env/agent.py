"""What an agent is, and how a line of text becomes one.

An agent is anything with `act(view, rng) -> action id`: it is shown a view and nothing else, and
the view remembers all that its seat may know, so agents need no memory of their own.

Where many decisions are due at once, an agent may also have `act_many(views, words)`. The random
words come with the decisions, so that the same decision draws the same number wherever and beside
whatever else it is made: a policy against itself on duplicate deals then scores exactly 0.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import operator
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from .core.actions import NUM_ACTIONS
from .core.state import STATE, State, States
from .notation import IllegalAction

Words: TypeAlias = npt.NDArray[np.uint64]
Actions: TypeAlias = npt.NDArray[np.int64]

KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
"""What the values of options are called."""


@runtime_checkable
class Agent(Protocol):
    """A player of any seat.

    Attributes:
        name: What tables call it.
    """

    name: str

    def act(self, view: State, rng: np.random.Generator | None = None) -> int:
        """A legal action id for the viewer of `view`, whose turn it is; `rng` drives any chance."""
        ...


class BatchAgent:
    """An agent written for arrays: it gives `act_many`, and `act` is a batch of one."""

    name = "batch agent"

    def act_many(self, views: States, words: Words) -> Actions:
        """Legal action ids, int64[N], for `views`, STATE[N]; `words`, uint64[N], are the chance."""
        raise NotImplementedError

    def act(self, view: State, rng: np.random.Generator | None = None) -> int:
        """A legal action id for the viewer of `view`."""
        views = np.empty(1, STATE)
        views[0] = view
        rng = np.random.default_rng() if rng is None else rng
        words = rng.integers(2**64, size=1, dtype=np.uint64)
        return _action_id(int(view.viewer), self.act_many(views, words)[0])


def act(agent: Agent, view: State, rng: np.random.Generator | None = None) -> int:
    """The agent's action id for `view`; whether it is legal is for the caller to see.

    Raises:
        IllegalAction: It is no integer; the message names the seat.
    """
    return _action_id(int(view.viewer), agent.act(view, rng))


def act_many(agent: Agent, views: States, words: Words) -> Actions:
    """The agent's action ids for `views`, all at once where it can, else one by one.

    Raises:
        IllegalAction: An answer is no integer, or there are not as many as views.
    """
    batched = getattr(agent, "act_many", None)
    with blaming(agent):
        if batched is None:
            acts = (
                act(agent, view, np.random.default_rng(word))
                for view, word in zip(views, words, strict=True)
            )
            return np.fromiter(acts, np.int64, len(views))
        answers = np.asarray(batched(views, words))
        if answers.shape != views.shape:
            raise IllegalAction(
                f"{len(views)} views answered with actions of shape {answers.shape}"
            )
        if answers.dtype.kind not in "iu":
            seats = map(int, views["viewer"])
            answers = np.array([*map(_action_id, seats, answers)])
        return answers.astype(np.int64)


def _action_id(seat: int, answer: Any) -> int:
    """What a seat has answered, as an integer."""
    try:
        return operator.index(answer)
    except TypeError:
        raise IllegalAction(
            f"seat {seat} answered {answer!r}; an action id, an integer of 0 to {NUM_ACTIONS - 1},"
            " is needed (§2.5)"
        ) from None


@contextmanager
def blaming(agent: Agent) -> Iterator[None]:
    """Name the agent in an IllegalAction that it is to blame for."""
    try:
        yield
    except IllegalAction as error:
        raise IllegalAction(f"agent {agent.name!r}: {error}") from error


def load(spec: str) -> Agent:
    """The agent that a line of text names: `name` or `name?key=value&key=value`.

    A name is that of a module of `touti_env.baselines`, or of any module that can be imported. The
    module's `load(**options)` makes the agent; its annotations (int, float, bool, str) say how to
    read the values.

    Raises:
        ValueError: There is no such agent, or it has no such option, or a value cannot be read.
    """
    name, _, query = spec.partition("?")
    factory = _factory(spec, name)
    agent: Agent = factory(**_options(spec, query, factory))
    return agent


def as_agent(role: str, given: str | Agent) -> Agent:
    """The agent itself, or the one that a line of text names.

    Raises:
        TypeError: It is neither; `role` says whose agent it was to be.
        ValueError: As for `load`.
    """
    player = load(given) if isinstance(given, str) else given
    if not callable(getattr(player, "act", None)):
        raise TypeError(f"{role} is {given!r}; a line for agent.load or an Agent is valid")
    return player


def files(spec: str) -> dict[str, str]:
    """A digest of what is in each file that the agent `spec` is made of.

    Files are what its options name, given or by default; the digests go by the options' names. Two
    agents of one spec are the same player only if these are the same too.

    Raises:
        ValueError: As for `load`.
    """
    name, _, query = spec.partition("?")
    factory = _factory(spec, name)
    defaults = {key: p.default for key, p in inspect.signature(factory).parameters.items()}
    options = defaults | _options(spec, query, factory)
    return {
        key: hashlib.sha256(Path(value).read_bytes()).hexdigest()[:16]
        for key, value in options.items()
        if isinstance(value, str) and value and Path(value).is_file()
    }


def _factory(spec: str, name: str) -> Any:
    """The `load` of the module that `name` means."""
    path = f"{__package__}.baselines.{name}" if name in _baselines() else name
    try:
        module = importlib.import_module(path)
    except (ModuleNotFoundError, ValueError) as error:
        missing = getattr(error, "name", None) or name
        if name == missing or name.startswith(f"{missing}."):
            valid = f"valid are {', '.join(_baselines())}, or an importable module with a load()"
            raise ValueError(f"agent {spec!r}: there is no {name!r}; {valid}") from error
        raise ValueError(f"agent {spec!r} needs {missing!r}, which is not installed") from error
    if not hasattr(module, "load"):
        raise ValueError(f"agent {spec!r}: module {path!r} has no load() that makes an agent")
    return module.load


def _baselines() -> list[str]:
    """The names of the baselines that are there."""
    package = importlib.util.find_spec(f"{__package__}.baselines")
    places = package.submodule_search_locations if package else None
    return [module.name for module in pkgutil.iter_modules(places)]


def _options(spec: str, query: str, factory: Any) -> dict[str, Any]:
    """The options of a spec, read by the types of the factory's parameters."""
    parameters = inspect.signature(factory, eval_str=True).parameters
    options: dict[str, Any] = {}
    for pair in filter(None, query.split("&")):
        key, _, text = pair.partition("=")
        if key not in parameters:
            valid = ", ".join(parameters) or "none"
            raise ValueError(f"agent {spec!r}: no option {key!r}; valid are: {valid}")
        options[key] = _read(spec, key, text, parameters[key].annotation)
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            raise ValueError(f"agent {spec!r}: option {key!r} is needed: {spec}?{key}=...")
    return options


def _read(spec: str, key: str, text: str, kind: Any) -> Any:
    if kind is bool:
        if text.lower() not in ("true", "false", "1", "0"):
            raise ValueError(f"agent {spec!r}: {key} is {text!r}; {KINDS[bool]} is valid")
        return text.lower() in ("true", "1")
    if kind not in (int, float):
        return text
    try:
        return kind(text)
    except ValueError as error:
        raise ValueError(f"agent {spec!r}: {key} is {text!r}; {KINDS[kind]} is valid") from error
