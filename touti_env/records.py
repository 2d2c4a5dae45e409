"""Records of deals: JSON Lines, one deal a line, replayed and verified when they are read.

A line holds the rules (every field), the match's seed, the score before, the dealer, the four hands
as dealt, the actions in notation and the result. The result is computed from the rest, so a line
that was tampered with, or written under another rulebook, is found out.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import notation
from .core import engine
from .core.deal import check_seed
from .core.rules import RULES_VERSION, Rules, as_rules
from .core.state import State, new_states
from .explain import require_legal

FORMAT = "touti-deal"


class RecordError(ValueError):
    """A record that cannot be read or does not hold; the message names the line."""


@dataclass(frozen=True)
class DealRecord:
    """One deal: what was dealt and what was done; all else follows.

    Attributes:
        rules: The variant.
        seed: The match's seed, or None if unknown; the hands stand for themselves.
        dealer: Seat 0 to 3.
        score: The match score before the deal.
        hands: Four times ten cards, in notation.
        actions: Action ids, in order.
    """

    rules: Rules
    seed: int | None
    dealer: int
    score: tuple[int, int]
    hands: tuple[tuple[str, ...], ...]
    actions: tuple[int, ...]

    def begin(self) -> State:
        """The full state before the first action."""
        state = new_states(1)[0]
        state.rules = self.rules.record()
        state.dealer = self.dealer
        state.score[:] = self.score
        state.dealt[:] = notation.parse_hands(self.hands)
        engine.begin(state)
        return state

    def states(self) -> Iterator[State]:
        """The state before each action and after the last: one record, which moves on.

        Raises:
            IllegalAction: An action is illegal where it stands.
        """
        state = self.begin()
        yield state
        for action in self.actions:
            require_legal(state, action)
            engine.apply(state, action)
            yield state

    def end(self) -> State:
        """The state after the last action."""
        for state in self.states():
            last = state
        return last


def dumps(record: DealRecord) -> str:
    """The record as one line of JSON, without the line's end."""
    words = []
    for state, action in zip(record.states(), record.actions, strict=False):
        words.append(notation.name(action, state.phase))
    content = {
        "format": FORMAT,
        "rules_version": RULES_VERSION,
        "rules": record.rules.asdict(),
        "seed": record.seed,
        "score": list(record.score),
        "dealer": record.dealer,
        "hands": [" ".join(hand) for hand in record.hands],
        "actions": words,
        "result": _result(record.end()),
    }
    return json.dumps(content)


def _result(state: State) -> dict[str, Any] | None:
    """What the deal came to; None while it is going on."""
    if not engine.is_over(state):
        return None
    return {
        "contract": int(state.contract),
        "declarer": int(state.declarer),
        "points": [int(points) for points in state.points],
        "ghna": int(state.ghna_points),
        "total": int(state.total),
        "scored": int(state.scored),
        "score": [int(score) for score in state.score],
    }


def loads(line: str) -> DealRecord:
    """The record that a line of JSON holds, replayed and verified.

    Raises:
        RecordError: The line is not JSON, not such a record, of another version, or does not hold.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not a line of JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RecordError(f"not a deal record: its format is not {FORMAT!r}")
    if content.get("rules_version") != RULES_VERSION:
        raise RecordError(
            f"rules_version is {content.get('rules_version')!r}; {RULES_VERSION} can be read"
        )
    try:
        return _read(content)
    except (KeyError, TypeError, ValueError) as error:
        missing = "a field is missing: " if isinstance(error, KeyError) else ""
        raise RecordError(f"{missing}{error}") from error


def _read(content: dict[str, Any]) -> DealRecord:
    """A record from its parsed line; whatever is wrong raises."""
    rules, seed, score = as_rules(content["rules"]), content["seed"], content["score"]
    if content["rules"] != rules.asdict():
        raise ValueError(f"rules {content['rules']!r}: every field is needed")
    if not isinstance(score, list) or [type(points) for points in score] != [int, int]:
        raise ValueError(f"score {score!r}: two numbers are needed")
    if not all(0 <= points < rules.target for points in score):
        raise ValueError(f"score {score!r}: 0 to {rules.target - 1} are valid (§2.1)")
    if type(content["dealer"]) is not int or content["dealer"] not in range(4):
        raise ValueError(f"dealer {content['dealer']!r} is no seat; 0 to 3 are valid")
    masks = notation.parse_hands(_words("hands", content["hands"]))
    words = _words("actions", content["actions"])
    record = DealRecord(
        rules=rules,
        seed=None if seed is None else check_seed(seed),
        dealer=content["dealer"],
        score=(score[0], score[1]),
        hands=tuple(tuple(notation.card_names(mask)) for mask in masks),
        actions=(),
    )
    return replace(record, actions=_replay(record.begin(), words, content["result"]))


def _words(field: str, words: Any) -> list[str]:
    """`words`, if they are a list of strings."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"{field} {words!r}: a list of strings is needed")
    return words


def _replay(state: State, words: list[str], result: object) -> tuple[int, ...]:
    """The actions that the words mean from `state` on, if they are legal and have the result."""
    actions = []
    for place, word in enumerate(words, 1):
        try:
            actions.append(notation.parse(word, state.phase))
            require_legal(state, actions[-1])
        except ValueError as error:
            raise ValueError(f"action {place}, {word!r}: {error}") from error
        engine.apply(state, actions[-1])
    if result != _result(state):
        raise ValueError(f"the result is {result}, a replay gives {_result(state)}")
    return tuple(actions)


def dump(records: Iterable[DealRecord], path: str | Path) -> None:
    """Write records to a file, a line each: the whole file or, on an error, nothing."""
    path = Path(path)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".part", delete=False) as part:
        try:
            part.writelines(f"{dumps(record)}\n" for record in records)
        except BaseException:
            os.unlink(part.name)
            raise
    os.replace(part.name, path)


def load(path: str | Path) -> Iterator[DealRecord]:
    """The records of a file, one by one, each verified.

    Raises:
        RecordError: A line does not hold; those before it have been given out.
    """
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield loads(line)
            except RecordError as error:
                raise RecordError(f"{path}, line {number}: {error}") from error
