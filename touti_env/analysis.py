"""What the double-dummy solver says of deals: values of cards, par, the mistakes of a record.

A value is the declaring team's total (docs/rules.md §9.1) when from there on all four seats see
every card and play their best. A mistake is an action after which that value is worse for the team
that took it. It is measured with all cards seen, so that a sound choice may be one: of a player who
could not know better, it says how much luck was missing.

Each result is a dataclass: numbers by name in `asdict()`, as text in `table()`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import notation, solver
from .core import engine
from .core.actions import BID_STEP, MAX_BID, MIN_BID, TRUMP, level_of
from .core.cards import SEATS, SUITS
from .core.rules import Rules
from .core.state import AUCTION, OVER, SIGNAL, STATE, Phase, State, new_states
from .core.state import TRUMP as NAMING
from .notation import SUIT_NAMES
from .records import DealRecord

CONTRACTS = range(MIN_BID, MAX_BID + 1, BID_STEP)


@dataclass(frozen=True)
class Values:
    """What each legal action of a position is worth.

    Attributes:
        seat: Whose turn it is.
        phase: What is decided.
        contract: The contract.
        declarer: Who declared it.
        trump: The trump suit, 0 to 3; -1 while it is to be named.
        totals: By action id, the declaring team's total.
    """

    seat: int
    phase: Phase
    contract: int
    declarer: int
    trump: int
    totals: dict[int, int]

    @property
    def declaring(self) -> bool:
        """Whether the seat is of the declaring team."""
        return (self.seat ^ self.declarer) & 1 == 0

    @property
    def best(self) -> tuple[int, ...]:
        """The actions that are best for the seat."""
        goal = (max if self.declaring else min)(self.totals.values())
        return tuple(action for action, total in self.totals.items() if total == goal)

    def words(self) -> dict[str, int]:
        """The totals by word, the best for the seat first."""
        order = sorted(self.totals, key=self.totals.__getitem__, reverse=self.declaring)
        return {notation.name(action, self.phase): self.totals[action] for action in order}

    def asdict(self) -> dict[str, Any]:
        """Every number by name, of plain types that JSON can hold."""
        return {
            "seat": self.seat,
            "phase": self.phase.name.lower(),
            "contract": self.contract,
            "declarer": self.declarer,
            "trump": notation.SUIT_LETTERS[self.trump] if self.trump >= 0 else None,
            "values": [
                {"action": word, "total": total, "made": total >= self.contract}
                for word, total in self.words().items()
            ],
        }

    def table(self) -> str:
        """A line for each action."""
        trump = f", {SUIT_NAMES[self.trump]} trump" if self.trump >= 0 else ""
        side = "declaring team" if self.declaring else "defender"
        lines = [
            f"{self.contract} by seat {self.declarer}{trump}; seat {self.seat} to act, {side}",
            f"{'action':<12}{'total':>6}  contract",
        ]
        for word, total in self.words().items():
            lines.append(f"{word:<12}{total:>6}  {_verdict(total, self.contract)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Mistake:
    """An action that cost its team something.

    Attributes:
        number: Which action of the deal it is, from 1.
        trick: In which trick, 1 to 10; 0: naming trump.
        seat: Who took it.
        word: The action.
        best: What would have been best.
        cost: The points that it cost.
        before: The total by best play just before.
        after: And just after.
        decisive: Whether it turned the contract.
    """

    number: int
    trick: int
    seat: int
    word: str
    best: tuple[str, ...]
    cost: int
    before: int
    after: int
    decisive: bool

    def asdict(self) -> dict[str, Any]:
        """Every number by name, of plain types that JSON can hold."""
        return {**self.__dict__, "best": list(self.best)}

    def line(self) -> str:
        """The mistake as a line of a table."""
        best = " ".join(self.best[:4]) + (" ..." if len(self.best) > 4 else "")
        turned = (
            f"  turns {self.contract_before} into {self.contract_after}" if self.decisive else ""
        )
        return (
            f"{self.trick or '-':>5}{self.seat:>6}  {self.word:<10}{self.cost:>5}"
            f"{self.before:>8} -> {self.after:<4} {best}{turned}"
        )

    @property
    def contract_before(self) -> str:
        """What best play had come to, where the mistake is decisive."""
        return "made" if self.before > self.after else "failed"

    @property
    def contract_after(self) -> str:
        """What it comes to after a decisive mistake."""
        return "failed" if self.before > self.after else "made"


@dataclass(frozen=True)
class Review:
    """A recorded deal, action by action.

    Attributes:
        contract: The contract; 0: nobody bid, there is nothing to review.
        declarer: Who declared it, or -1.
        trump: The trump suit, or -1.
        par: The total by best play from the first lead, or None before it.
        total: The total that was reached, or None while the deal is going on.
        mistakes: In order.
        position: What each action is worth where an unfinished record stops in the play.
    """

    contract: int
    declarer: int
    trump: int
    par: int | None
    total: int | None
    mistakes: tuple[Mistake, ...]
    position: Values | None

    def asdict(self) -> dict[str, Any]:
        """Every number by name, of plain types that JSON can hold."""
        return {
            "contract": self.contract,
            "declarer": self.declarer if self.contract else None,
            "trump": notation.SUIT_LETTERS[self.trump] if self.trump >= 0 else None,
            "par": self.par,
            "total": self.total,
            "mistakes": [mistake.asdict() for mistake in self.mistakes],
            "position": self.position.asdict() if self.position else None,
        }

    def costs(self) -> list[int]:
        """By seat, what the mistakes of the play cost altogether; naming trump is no part of it."""
        mistakes = [mistake for mistake in self.mistakes if mistake.trick]
        return [sum(m.cost for m in mistakes if m.seat == seat) for seat in range(SEATS)]

    def table(self) -> str:
        """The deal in a line, and a line for each mistake."""
        if self.par is None:
            return "no card was played: there is nothing to review"
        text = f"{self.contract} by seat {self.declarer}, {SUIT_NAMES[self.trump]} trump"
        text += f"; best play comes to {self.par}, {_verdict(self.par, self.contract)}"
        if self.total is not None:
            text += f"; it came to {self.total}, {_verdict(self.total, self.contract)}"
        lines = [text]
        if self.mistakes:
            lines.append("trick  seat  action     cost   total        better")
            lines += [mistake.line() for mistake in self.mistakes]
        else:
            lines.append("no mistakes")
        return "\n".join(lines + ([self.position.table()] if self.position else []))


def values(state: State) -> Values:
    """What each legal action is worth in a full state where trump is named or cards are played.

    Raises:
        ValueError: The state is another.
    """
    phase = Phase(state.phase)
    totals = _trump_totals(state) if phase == Phase.TRUMP else solver.values(state)
    return Values(
        seat=int(state.seat),
        phase=phase,
        contract=int(state.contract),
        declarer=int(state.declarer),
        trump=int(state.trump),
        totals=totals,
    )


def _trump_totals(state: State) -> dict[int, int]:
    """The total after each trump."""
    trial = np.empty(1, STATE)
    totals = {}
    for action in range(TRUMP, TRUMP + SUITS):
        trial[0] = state
        engine.apply(trial[0], action)
        totals[action] = solver.points(trial[0])
    return totals


def review(record: DealRecord) -> Review:
    """The mistakes of a recorded deal, finished or not, from naming trump on."""
    mistakes: list[Mistake] = []
    par = before = None
    previous = np.empty(1, STATE)
    state = record.begin()
    for number, state in enumerate(record.states()):
        if state.phase in (AUCTION, SIGNAL, NAMING) or state.declarer < 0:
            previous[0] = state
            continue
        after = solver.points(state)
        if par is None:
            par = after
        if number:
            mistakes += _mistake(previous[0], record.actions[number - 1], number, before, after)
        before = after
        previous[0] = state
    over = state.phase == OVER
    return Review(
        contract=int(state.contract),
        declarer=int(state.declarer),
        trump=int(state.trump),
        par=par,
        total=int(state.total) if over and state.declarer >= 0 else None,
        mistakes=tuple(mistakes),
        position=None if over or par is None else values(state),
    )


def _mistake(
    state: State, action: int, number: int, before: int | None, after: int
) -> Iterator[Mistake]:
    """The mistake that `action` was in `state`, if it was one."""
    if before == after:
        return
    worth = values(state)
    before = worth.totals[worth.best[0]]
    if before == after:
        return
    yield Mistake(
        number=number,
        trick=0 if worth.phase == Phase.TRUMP else _trick(state),
        seat=worth.seat,
        word=notation.name(action, worth.phase),
        best=tuple(notation.name(choice, worth.phase) for choice in worth.best),
        cost=abs(before - after),
        before=before,
        after=after,
        decisive=(before >= worth.contract) != (after >= worth.contract),
    )


def _trick(state: State) -> int:
    """The trick that is going on; a Ghna belongs to the one just finished."""
    return max(1, int(state.played) // SEATS + int(state.phase != Phase.GHNA))


def deal_state(
    hands: Sequence[str], opener: int, rules: Rules, declarer: int, contract: int
) -> State:
    """The full state in which `declarer` has bought `contract` and names trump.

    Raises:
        ValueError: The hands are not the whole pack, or a number is out of its range.
    """
    if contract not in CONTRACTS:
        raise ValueError(f"contract {contract} does not exist; 70, 80, ... 230 are valid (§3.1)")
    state = new_states(1)[0]
    state.rules = rules.record()
    state.dealt[:] = notation.parse_hands(hands)
    state.dealer = (opener - 1) % SEATS
    engine.begin(state)
    state.phase = NAMING
    state.seat = state.declarer = declarer
    state.contract = contract
    state.bids[declarer] = 1 << level_of(contract)
    state.left_at[:] = 0
    state.left_at[declarer] = -1
    return state


def par_asdict(par: solver.Par) -> dict[str, Any]:
    """Par by name, of plain types that JSON can hold."""
    return {"totals": par.totals.tolist(), "contracts": par.contracts.tolist()}


def par_table(par: solver.Par) -> str:
    """Par as text: the highest contract made and the total under its cap, by team and trump."""
    lines = ["highest contract made (total)" + "".join(f"{suit:>13}" for suit in SUIT_NAMES)]
    for team in range(2):
        cells = []
        for trump in range(SUITS):
            contract = int(par.contracts[team, trump])
            level = min((contract or MIN_BID) // 10 - 7, 3)
            total = int(par.totals[team, trump, level])
            cells.append(f"{contract or '-'} ({total})")
        head = f"seat {team} or {team + 2} declares"
        lines.append(f"{head:<29}" + "".join(f"{cell:>13}" for cell in cells))
    return "\n".join(lines)


def _verdict(total: int, contract: int) -> str:
    return "made" if total >= contract else "failed"
