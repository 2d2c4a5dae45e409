"""What a variant of the game may change, as data: no rule is ever written twice for a variant.

`Rules` is the readable form, checked when it is made; its record, of dtype `RULES`, travels inside
every state, so that a state or a view is complete by itself.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

RULES_VERSION = 1
"""Grows whenever the same actions on the same deal could end in another score."""

RULES = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("target", np.int16),
                ("signals", np.int8),
                ("announcements", np.int8),
                ("concession", np.int8),
                ("last_trick", np.int16),
                ("ghna_trump", np.int16),
                ("ghna_plain", np.int16),
                ("ghna_caps", np.int16, 4),
            ],
            align=True,
        ),
    )
)


@dataclass(frozen=True)
class Rules:
    """Every number and switch of a variant; the defaults are the `standard` game.

    Attributes:
        target: The match score that wins (§2.1).
        signals: Whether a partner who is out may signal (§4).
        announcements: Whether AS and COMPTE may be announced early (§3.3).
        concession: Whether the defenders may give a deal up (§8).
        last_trick: Points for winning the tenth trick (§6.8).
        ghna_trump: Points of the Ghna in trumps (§7.1).
        ghna_plain: Points of a Ghna in another suit (§7.1).
        ghna_caps: The most Ghna points at contracts 70, 80, 90 and 100 or more (§7.3).
    """

    target: int = 600
    signals: bool = True
    announcements: bool = True
    concession: bool = False
    last_trick: int = 10
    ghna_trump: int = 40
    ghna_plain: int = 20
    ghna_caps: tuple[int, int, int, int] = (0, 20, 40, 100)

    def __post_init__(self) -> None:
        """Refuse values that the state, the observation or the score could not hold.

        Raises:
            TypeError: A switch is not a bool, or a number not an int.
            ValueError: A number is out of its range.
        """
        for name in ("signals", "announcements", "concession"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"rules: {name} is {getattr(self, name)!r}; True or False is valid")
        self._check("target", self.target, 10, 10_000)
        self._check("last_trick", self.last_trick, 0, 10)
        self._check("ghna_trump", self.ghna_trump, 0, 100)
        self._check("ghna_plain", self.ghna_plain, 0, 100)
        object.__setattr__(self, "ghna_caps", tuple(self.ghna_caps))
        if len(self.ghna_caps) != 4:
            raise ValueError(f"rules: ghna_caps has {len(self.ghna_caps)} values; 4 are needed")
        for cap in self.ghna_caps:
            self._check("ghna_caps", cap, 0, 100)

    @staticmethod
    def _check(name: str, value: int, low: int, high: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"rules: {name} is {value!r}; an int is valid")
        if not low <= value <= high:
            raise ValueError(f"rules: {name} is {value}; {low} to {high} is valid")

    @property
    def name(self) -> str:
        """The variant's name, or `custom`."""
        return next((name for name, rules in VARIANTS.items() if rules == self), "custom")

    def record(self) -> Any:
        """The rules as a scalar record of dtype `RULES`."""
        values = tuple(getattr(self, name) for name in RULES.names or ())
        return np.array([values], RULES)[0]

    def asdict(self) -> dict[str, Any]:
        """Every field by name, of plain types that JSON can hold."""
        return {**asdict(self), "ghna_caps": list(self.ghna_caps)}


VARIANTS = {
    "standard": Rules(),
    "full": Rules(concession=True),
    "plain": Rules(signals=False, announcements=False),
}


def as_rules(rules: str | Rules | dict[str, Any]) -> Rules:
    """The `Rules` meant by a variant's name, a mapping of every field, or a `Rules`.

    Raises:
        ValueError: The name or a field is unknown.
        TypeError: `rules` is something else.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str):
        if rules not in VARIANTS:
            raise ValueError(f"rules: {rules!r} is unknown; valid are {', '.join(VARIANTS)}")
        return VARIANTS[rules]
    if isinstance(rules, dict):
        known = {field.name for field in fields(Rules)}
        if unknown := sorted(set(rules) - known):
            raise ValueError(f"rules: unknown {unknown}; valid are {sorted(known)}")
        return Rules(**rules)
    raise TypeError(f"rules: {rules!r}; a name, a Rules or a dict of its fields is valid")


def from_record(record: Any) -> Rules:
    """The `Rules` that a `RULES` record holds."""
    return Rules(
        target=int(record.target),
        signals=bool(record.signals),
        announcements=bool(record.announcements),
        concession=bool(record.concession),
        last_trick=int(record.last_trick),
        ghna_trump=int(record.ghna_trump),
        ghna_plain=int(record.ghna_plain),
        ghna_caps=tuple(int(cap) for cap in record.ghna_caps),  # type: ignore[arg-type]
    )
