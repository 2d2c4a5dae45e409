"""The frames of a replay: each position of a deal, what could be done in it, and what that costs.

Everything is computed here from states, or from one seat's views; the page shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import notation, solver
from ..agent import Agent, act
from ..core.cards import SEATS
from ..core.state import STATE, Phase, State
from ..records import DealRecord
from ..view import resample, view

WORLDS = 16  # deals drawn that fit what a seat knows
DEAR = 1.0  # points that a choice must cost on average over them to be called dear


@dataclass(frozen=True)
class Choice:
    """A legal action at a decision.

    Attributes:
        word: In notation.
        share: How probable the reviewer, or whoever chose, made it; None if nobody said.
        true: The declaring team's total less the contract, all cards known and everybody playing
            their best; None if not asked for.
        known: The same, on average over deals that fit what the seat knew.
        made: In how many of these the contract is made.
    """

    word: str
    share: float | None = None
    true: int | None = None
    known: float | None = None
    made: int | None = None


@dataclass(frozen=True)
class Frame:
    """A position, and what was done in it.

    Attributes:
        state: A state or a view.
        said: The move that led here, in words.
        actor: Who moves next; -1 at the end.
        word: The move, in notation.
        phase: What kind of move it is.
        choices: What could be done instead, if the page shows it.
        dear: Whether the choice is one to look at again.
    """

    state: State
    said: str
    actor: int = -1
    word: str = ""
    phase: int = Phase.OVER
    choices: Sequence[Choice] = ()
    dear: bool = False


def frames_of(record: DealRecord, seat: int | None, review: Agent | None, dd: bool) -> list[Frame]:
    """The positions of a deal, as they are or as a seat sees them, and the choices made in them."""
    chance = np.random.default_rng(0)
    seen, done = _positions(record, seat)
    frames, said = [], ""
    for state, (actor, word, place, phase) in zip(seen, [*done, _END], strict=True):
        choices: list[Choice] = []
        if actor >= 0 and seat in (None, actor):
            choices = _choices(state, actor, _shares(record, place, state, actor, review, chance))
            if dd and state.trump >= 0:
                choices = _priced(state, actor, choices, seat is None, chance)
        dear = _is_dear(choices, word, actor, state)
        frames.append(Frame(state, said, actor, word, phase, choices, dear))
        said = f"seat {actor}: {word}"
    return frames


_Move = tuple[int, str, int, int]  # who, the word, which action of the record, the phase
_END: _Move = (-1, "", -1, Phase.OVER)


def _positions(record: DealRecord, seat: int | None) -> tuple[list[State], list[_Move]]:
    """Each position that differs from the one before it, and the moves between them.

    To a seat's view a decision that was hidden from it changes nothing, and so is left out.
    """
    seen: list[State] = []
    done: list[_Move] = []
    move = _END
    actions = [*record.actions, -1]
    for place, (state, action) in enumerate(zip(record.states(), actions, strict=True)):
        now = _kept(state) if seat is None else view(state, seat)
        if not seen or now.tobytes() != seen[-1].tobytes():
            if seen:
                done.append(move)
            seen.append(now)
        if action >= 0:
            phase = int(state.phase)
            move = (int(state.seat), notation.name(action, phase), place, phase)
    return seen, done


def _kept(state: State) -> State:
    """A copy, since a record's states are one that moves on."""
    copied = np.zeros(1, STATE)
    copied[0] = state
    return copied[0]


def _shares(
    record: DealRecord,
    place: int,
    state: State,
    actor: int,
    review: Agent | None,
    chance: np.random.Generator,
) -> dict[int, float] | None:
    """The probability of each action: the reviewer's, else those in the record, else None."""
    if review is not None:
        known = view(state, actor)
        if hasattr(review, "probs"):
            return {action: float(p) for action, p in enumerate(review.probs(known))}
        return {act(review, known, chance): 1.0}
    chosen_by = record.probs[place] if record.probs else None
    return None if chosen_by is None else dict(chosen_by)


def _choices(state: State, actor: int, shares: dict[int, float] | None) -> list[Choice]:
    """The legal actions, the most probable first."""
    legal = notation.legal_actions(state)
    if shares is None:
        return [Choice(notation.name(action, state.phase)) for action in legal]
    total = sum(shares.get(action, 0.0) for action in legal) or 1.0
    choices = [
        Choice(notation.name(action, state.phase), shares.get(action, 0.0) / total)
        for action in legal
    ]
    return sorted(choices, key=lambda choice: -(choice.share or 0.0))


def _priced(
    state: State, actor: int, choices: list[Choice], whole: bool, chance: np.random.Generator
) -> list[Choice]:
    """The choices with what each comes to, over the contract or (negative) short of it."""
    true = solver.values(state) if whole else {}
    worlds = resample(view(state, actor), chance, WORLDS)
    totals = solver.totals(worlds)[0] - int(state.contract)
    priced = []
    for choice in choices:
        action = notation.parse(choice.word, state.phase)
        over = totals[:, action]
        priced.append(
            Choice(
                choice.word,
                choice.share,
                true[action] - int(state.contract) if whole else None,
                round(float(over.mean()), 1),
                int((over >= 0).sum()),
            )
        )
    return priced


def cost(choices: Sequence[Choice], word: str, declaring: bool, true: bool = False) -> float:
    """What a choice costs its team on average, over the deals that fit what the seat knew.

    With `true`, what it costs with all cards known.
    """
    priced = [(choice.word, choice.true if true else choice.known) for choice in choices]
    values = {name: value for name, value in priced if value is not None}
    if word not in values:
        return 0.0
    if declaring:
        return max(values.values()) - values[word]
    return values[word] - min(values.values())


def costs(frames: Sequence[Frame], true: bool = False) -> list[float]:
    """What the choices of the play have cost, by seat."""
    total = [0.0] * SEATS
    for frame in frames:
        declaring = _declares(frame.state, frame.actor)
        total[frame.actor] += cost(frame.choices, frame.word, declaring, true)
    return [round(spent, 1) for spent in total]


def _declares(state: State, actor: int) -> bool:
    return (actor ^ int(state.declarer)) & 1 == 0


def _is_dear(choices: Sequence[Choice], word: str, actor: int, state: State) -> bool:
    """Whether a choice costs points, or, unpriced, is half as probable as another or less."""
    if any(choice.known is not None for choice in choices):
        return cost(choices, word, _declares(state, actor)) >= DEAR
    shares = {choice.word: choice.share for choice in choices if choice.share is not None}
    return word in shares and 2 * shares[word] <= max(shares.values())
