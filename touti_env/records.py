"""Records of deals: JSON Lines, one deal a line, replayed and verified when they are read.

A line holds the rules (every field), the match's seed, the score before, the dealer, the four hands
as dealt, the actions in notation and the result. The result is computed from the rest, so a line
that was tampered with, or written under another rulebook, is found out. It may also hold who played
(`agents`) and with what probabilities they chose (`probs`).

| to | use |
|---|---|
| write a file, whole or not at all | `dump` |
| write a file deal by deal, whole lines kept whatever happens | `Writer` |
| read a file up to its first line that does not hold | `load` |
| read all that holds of a file, and what is wrong with the rest | `scan` |
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias

from . import notation
from .core import engine
from .core.cards import SEATS
from .core.deal import check_seed
from .core.rules import RULES_VERSION, Rules, as_rules
from .core.state import State, new_states
from .explain import require_legal
from .files import open_to_others, replacing

FORMAT = "touti-deal"

Probs: TypeAlias = Mapping[int, float]
"""The probability of each action id at a decision, those of 0 left out."""

PROBS_SLACK = 1e-3  # by how much a decision's probabilities may miss 1: they are rounded


class RecordError(ValueError):
    """A record that cannot be read or does not hold; the message names the line.

    Attributes:
        line: Which line of the file, from 1; 0 where there is no file.
        foreign: Whether the line does not even look like a deal record.
    """

    line = 0
    foreign = False


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
        agents: Who sat at each seat, or None if unknown.
        probs: For each action, the probabilities that it was chosen by, None where the agent has
            none; None altogether if they were not asked for.
    """

    rules: Rules
    seed: int | None
    dealer: int
    score: tuple[int, int]
    hands: tuple[tuple[str, ...], ...]
    actions: tuple[int, ...]
    agents: tuple[str, str, str, str] | None = None
    probs: tuple[Probs | None, ...] | None = None

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
    """The record as one line of JSON, without the line's end.

    Raises:
        IllegalAction: An action is illegal where it stands.
    """
    phases = [int(state.phase) for state in record.states()][: len(record.actions)]
    words = [notation.name(*pair) for pair in zip(record.actions, phases, strict=True)]
    content: dict[str, Any] = {
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
    if record.agents is not None:
        content["agents"] = list(record.agents)
    if record.probs is not None:
        content["probs"] = [
            probs and {notation.name(action, phase): p for action, p in probs.items()}
            for probs, phase in zip(record.probs, phases, strict=True)
        ]
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
    except json.JSONDecodeError as error:
        raise RecordError(f"not a line of JSON: {error.msg}, character {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not a line of JSON that can be read: {error}") from error
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
        agents=_agents(content.get("agents")),
    )
    actions = _replay(record.begin(), words, content["result"])
    record = replace(record, actions=actions)
    return replace(record, probs=_probs(record, content.get("probs")))


def _agents(names: Any) -> tuple[str, str, str, str] | None:
    """The four names, if there are any."""
    if names is None:
        return None
    if len(_words("agents", names)) != SEATS:
        raise ValueError(f"agents {names!r}: {SEATS} names are needed")
    return (names[0], names[1], names[2], names[3])


def _probs(record: DealRecord, entries: Any) -> tuple[Probs | None, ...] | None:
    """The probabilities of each action, if they were asked for and can be true."""
    if entries is None:
        return None
    if not isinstance(entries, list) or len(entries) != len(record.actions):
        raise ValueError(f"probs: a list of {len(record.actions)}, one for each action, is needed")
    read: list[Probs | None] = []
    for place, (state, entry) in enumerate(zip(record.states(), entries, strict=False), 1):
        try:
            read.append(None if entry is None else _distribution(state, entry))
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"action {place}: probs {entry!r}: {error}") from error
    return tuple(read)


def _distribution(state: State, entry: Any) -> Probs:
    """Probabilities by action id, if they are of legal actions and sum to 1."""
    probs = {notation.parse(word, state.phase): p for word, p in entry.items()}
    if not set(probs) <= set(notation.legal_actions(state)):
        raise ValueError("an action is not legal")
    if not all(type(p) in (int, float) and 0 <= p <= 1 for p in probs.values()):
        raise ValueError("numbers of 0 to 1 are valid")
    if not math.isclose(sum(probs.values()), 1, abs_tol=PROBS_SLACK):
        raise ValueError(f"they sum to {sum(probs.values()):.4g}, not to 1")
    return probs


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
    with replacing(path) as file:
        file.writelines(f"{dumps(record)}\n" for record in records)


class Writer:
    """Writes records to a new file, each as a whole line as soon as it is known.

    The lines go to a file beside it, `NAME.….part`, which takes its name at the end of a `with`
    block: also where an exception, Ctrl-C for one, ended it, with the lines so far. A process that
    is killed leaves the part, of whole lines too. Nothing is left if no record was written.

    Attributes:
        path: Where the file will be.
        written: How many records have been.

    Args:
        path: The file.
        over: Whether one that is there already may be written over.

    Raises:
        FileExistsError: There is such a file, and it may not.
    """

    def __init__(self, path: str | Path, over: bool = False) -> None:
        self.path = Path(path)
        self.written = 0
        if not over and self.path.exists():
            raise FileExistsError(f"{path} is there already; choose another name or remove it")

    def __enter__(self) -> Writer:
        folder, prefix = self.path.parent, f"{self.path.name}."
        self._part, self._name = tempfile.mkstemp(".part", prefix, folder)
        return self

    def write(self, record: DealRecord) -> None:
        """Add a record, as one line in one piece.

        Raises:
            IllegalAction: An action of it is illegal; nothing of it is written.
        """
        line = memoryview(f"{dumps(record)}\n".encode())
        while line:
            line = line[os.write(self._part, line) :]
        self.written += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._part)
        if self.written:
            open_to_others(self._name)
            os.replace(self._name, self.path)
        else:
            os.unlink(self._name)


def scan(path: str | Path) -> Iterator[DealRecord | RecordError]:
    """Every line of a file, in order: its record, or, where it does not hold, what is wrong.

    Each record is verified. A line that is wrong does not hide those after it.

    Raises:
        RecordError: The file cannot be read; this is found before anything is asked of it.
    """
    try:
        file = open(path, encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from error
    return _scan(path, file)


def _scan(path: str | Path, file: IO[str]) -> Iterator[DealRecord | RecordError]:
    """The lines of an open file."""
    with file:
        for number, line in enumerate(file, 1):
            try:
                yield loads(line)
            except RecordError as error:
                cut = "" if line.endswith("\n") else "; the file ends within the line"
                wrong = RecordError(f"{path}, line {number}: {error}{cut}")
                wrong.line = number
                wrong.foreign = FORMAT not in line
                yield wrong


def load(path: str | Path) -> Iterator[DealRecord]:
    """The records of a file, one by one, each verified.

    Raises:
        RecordError: The file cannot be read, which is found at once; or a line does not hold, after
            those before it have been given out.
    """
    return _all_hold(scan(path))


def _all_hold(lines: Iterator[DealRecord | RecordError]) -> Iterator[DealRecord]:
    for found in lines:
        if isinstance(found, RecordError):
            raise found
        yield found
