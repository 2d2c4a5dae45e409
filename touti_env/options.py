"""What every environment of the package may be asked for, checked in one place."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .core.rules import Rules, as_rules
from .core.state import State
from .game import place

EPISODES = ("deal", "match")
REWARDS = ("score", "win")
ON_ILLEGAL = ("raise", "terminate")
RESET_OPTIONS = ("hands", "dealer", "score")


@dataclass(frozen=True)
class EnvOptions:
    """The options that the environments share.

    Attributes:
        rules: The variant played.
        episode: `deal`, or `match` to the target.
        reward: `score`: ± contract / 100 at the end of each deal; `win`: ± 1 at the episode's end.
        max_deals: A match is truncated after so many deals; None: never. A deal episode never is.
        on_illegal: An illegal action may `raise` and change nothing, or `terminate` the episode.
    """

    rules: Rules = field(default_factory=Rules)
    episode: str = "deal"
    reward: str = "score"
    max_deals: int | None = None
    on_illegal: str = "raise"

    def __post_init__(self) -> None:
        """Refuse what no environment knows.

        Raises:
            TypeError: `max_deals` is not an int.
            ValueError: A value is none of the valid ones.
        """
        _one_of("episode", self.episode, EPISODES)
        _one_of("reward", self.reward, REWARDS)
        _one_of("on_illegal", self.on_illegal, ON_ILLEGAL)
        if self.max_deals is None:
            return
        if isinstance(self.max_deals, bool) or not isinstance(self.max_deals, int):
            raise TypeError(
                f"max_deals is {self.max_deals!r}; an int of 1 or more, or None, is valid"
            )
        if self.max_deals < 1:
            raise ValueError(f"max_deals is {self.max_deals}; 1 or more, or None, is valid")

    @classmethod
    def make(cls, rules: str | Rules | dict[str, Any] = "standard", **options: Any) -> EnvOptions:
        """The options, with `rules` given in any of the ways `as_rules` reads.

        Raises:
            TypeError: An option is unknown or of a wrong type.
            ValueError: A value is none of the valid ones.
        """
        return cls(rules=as_rules(rules), **options)


def _one_of(name: str, value: object, valid: tuple[str, ...]) -> None:
    if value not in valid:
        raise ValueError(f"{name} is {value!r}; valid are {', '.join(valid)}")


def place_options(state: State, options: Mapping[str, Any] | None) -> None:
    """Do to a match that was just begun what the `options` of a `reset` ask for.

    Args:
        state: A full state, in its first deal.
        options: None, or any of `hands`, `dealer` and `score`, as `game.place` takes them. One that
            is like none of them is ignored with a warning, since PettingZoo's conformance test
            passes such a one.

    Raises:
        ValueError: An option is out of its range, or misspelt; the state is unchanged.
    """
    if not options:
        return
    valid = ", ".join(RESET_OPTIONS)
    for name in options:
        if name in RESET_OPTIONS:
            continue
        if near := difflib.get_close_matches(str(name).lower(), RESET_OPTIONS, 1):
            raise ValueError(
                f"reset: there is no option {name!r}; did you mean {near[0]!r}? valid are {valid}"
            )
        warnings.warn(f"reset: option {name!r} is ignored; valid are {valid}", stacklevel=3)
    place(state, **{name: options[name] for name in RESET_OPTIONS if name in options})
