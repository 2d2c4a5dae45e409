"""One match for people and scripts: words in, words out, and every step can be taken back.

>>> game = Game(seed=7)
>>> game.push("80")
>>> game.push("pass")
>>> game.pop()
'pass'
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from . import notation, render
from .core import batch, deal, engine
from .core.cards import SEATS
from .core.rules import Rules, as_rules
from .core.state import Phase, State, States, copy_states, new_states
from .explain import require_legal
from .records import DealRecord
from .view import view

NEXT_DEAL = -1  # among the moves of a game: where a deal begins


def place(
    state: State,
    hands: Iterable[str | Iterable[str | int]] | None = None,
    dealer: int | None = None,
    score: tuple[int, int] | None = None,
) -> None:
    """Put what is given in place of what was drawn, and begin the deal again.

    Args:
        state: A full state.
        hands: Four collections of ten cards, as ids or words (§1.7).
        dealer: Seat 0 to 3.
        score: The match score of team 0 and team 1, each below the target (§2.1).

    Raises:
        ValueError: Something is out of its range; the state is unchanged.
    """
    masks = None if hands is None else notation.parse_hands(hands)
    if dealer is not None and (isinstance(dealer, bool) or dealer not in range(SEATS)):
        raise ValueError(f"dealer {dealer!r} is no seat; 0 to 3 are valid")
    if score is not None:
        top = int(state.rules.target) - 1
        if len(score) != 2 or not all(_is_score(points, top) for points in score):
            raise ValueError(f"score {score!r}: two numbers of 0 to {top} are valid (§2.1)")
        state.score[:] = score
    if dealer is not None:
        state.dealer = dealer
    if masks is not None:
        state.dealt[:] = masks
    engine.begin(state)


def _is_score(points: object, top: int) -> bool:
    whole = isinstance(points, int | np.integer) and not isinstance(points, bool)
    return whole and 0 <= points <= top  # type: ignore[operator]


class Game:
    """A match of Touti, one decision at a time.

    Attributes:
        rules: The variant played.
        state: The record of the game as it stands: always the same one, which calls move on.

    Args:
        rules: A variant's name or a `Rules`.
        seed: Where the deals come from, 0 to 2^63 - 1; drawn if not given.
        hands: The first deal's hands, instead of drawn ones.
        dealer: The first dealer, instead of a drawn one.
        score: The match score to begin with.
    """

    def __init__(
        self,
        rules: str | Rules = "standard",
        seed: int | None = None,
        hands: Iterable[str | Iterable[str | int]] | None = None,
        dealer: int | None = None,
        score: tuple[int, int] = (0, 0),
    ) -> None:
        self.rules = as_rules(rules)
        self.seed = deal.check_seed(seed)
        self._states: States = new_states(1)
        self._states["rules"] = self.rules.record()
        batch.seed_streams(self._states, self.seed)
        batch.new_matches(self._states)
        self.state: State = self._states[0]
        place(self.state, hands, dealer, score)
        self._past: list[States] = []
        self._moves: list[int] = []

    @property
    def phase(self) -> Phase:
        """What kind of decision comes next."""
        return Phase(self.state.phase)

    @property
    def seat(self) -> int:
        """Whose decision it is; -1 when the deal is over."""
        return int(self.state.seat)

    @property
    def score(self) -> tuple[int, int]:
        """The match score of team 0 and team 1."""
        return int(self.state.score[0]), int(self.state.score[1])

    @property
    def deal_over(self) -> bool:
        """Whether the deal has ended."""
        return self.phase == Phase.OVER

    @property
    def match_over(self) -> bool:
        """Whether a team has reached the target (§2.1)."""
        return bool(engine.match_over(self.state))

    def hand(self, seat: int) -> list[str]:
        """The cards that `seat` holds, as words."""
        return notation.card_names(int(self.state.hands[seat]))

    def legal_actions(self) -> list[int]:
        """The action ids that may be pushed now; empty when the deal is over."""
        return notation.legal_actions(self.state)

    def legal_words(self) -> list[str]:
        """The words that may be pushed now."""
        return [notation.name(action, self.phase) for action in self.legal_actions()]

    def view(self, seat: int) -> State:
        """What `seat` may know, for an agent's `act`."""
        return view(self.state, seat)

    def push(self, action: str | int) -> None:
        """Take an action, given as a word or an id.

        Raises:
            IllegalAction: The rules forbid it now; nothing has changed.
            TypeError: It is neither a word nor an integer.
        """
        if isinstance(action, str):
            try:
                number = notation.parse(action, self.phase)
            except ValueError as error:
                legal = " ".join(self.legal_words()) or "none"
                raise notation.IllegalAction(f"{error}; legal: {legal}") from error
        else:
            number = operator.index(action)
        require_legal(self.state, number)
        self._past.append(copy_states(self._states))
        self._moves.append(number)
        batch.apply_at(self._states, 0, number)

    def next_deal(self) -> None:
        """Begin the next deal; the deal passes to the next seat (§2.2).

        Raises:
            ValueError: This deal is not over, or the match is.
        """
        if not self.deal_over:
            raise ValueError("next_deal: this deal is not over")
        if self.match_over:
            raise ValueError(f"next_deal: the match is over at {self.score[0]}:{self.score[1]}")
        self._past.append(copy_states(self._states))
        self._moves.append(NEXT_DEAL)
        batch.next_deal_at(self._states, 0)

    def pop(self) -> str:
        """Take the last push, or the last `next_deal`, back; returns its word.

        Raises:
            IndexError: There is nothing to take back.
        """
        if not self._moves:
            raise IndexError("pop: nothing was pushed")
        move = self._moves.pop()
        self._states[:] = self._past.pop()
        return "next deal" if move == NEXT_DEAL else notation.name(move, self.phase)

    def clone(self) -> Game:
        """An independent copy, which goes on exactly as this one would, deals to come included."""
        twin = object.__new__(Game)
        twin.rules, twin.seed = self.rules, self.seed
        twin._states = copy_states(self._states)
        twin.state = twin._states[0]
        twin._past = self._past.copy()
        twin._moves = self._moves.copy()
        return twin

    def __copy__(self) -> Game:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, object]) -> Game:
        return self.clone()

    def __getstate__(self) -> dict[str, object]:
        """All but `state`, which is a window on the array beside it."""
        return {key: value for key, value in self.__dict__.items() if key != "state"}

    def __setstate__(self, content: dict[str, object]) -> None:
        self.__dict__.update(content)
        self.state = self._states[0]

    def record(self) -> DealRecord:
        """The deal so far, or the one just ended, as a record for `records.dump`."""
        return self.records()[-1]

    def records(self) -> list[DealRecord]:
        """Every deal of the match that was played here, the one under way last."""
        ends = [place for place, move in enumerate(self._moves) if move == NEXT_DEAL]
        starts = [0, *(place + 1 for place in ends)]
        return [
            self._record(start, end)
            for start, end in zip(starts, [*ends, len(self._moves)], strict=True)
        ]

    def _record(self, start: int, end: int) -> DealRecord:
        """The deal of the moves from `start` to `end`."""
        first = self._past[start][0] if start < len(self._past) else self.state
        return DealRecord(
            rules=self.rules,
            seed=self.seed,
            dealer=int(first.dealer),
            score=(int(first.score[0]), int(first.score[1])),
            hands=tuple(tuple(notation.card_names(int(mask))) for mask in first.dealt),
            actions=tuple(self._moves[start:end]),
        )

    @classmethod
    def resume(cls, records: Iterable[DealRecord]) -> Game:
        """The match whose deals these are, in order, as the last one left it.

        If they begin with the first deal of their seed, the deals to come are the seed's as well;
        else these are drawn anew. Every step can be taken back, as if it had been played here.

        Raises:
            ValueError: There is no deal, or one does not follow the deal before it.
        """
        game: Game | None = None
        for number, record in enumerate(records, 1):
            if game is None:
                game = cls._beginning(record)
            else:
                game._follow(number, record)
            for action in record.actions:
                game.push(action)
        if game is None:
            raise ValueError("resume: there is no deal to resume")
        return game

    @classmethod
    def _beginning(cls, record: DealRecord) -> Game:
        """A match that begins with the deal of a record."""
        seed = record.seed
        if seed is not None and cls(record.rules, seed).record().hands != record.hands:
            seed = None
        return cls(record.rules, seed, record.hands, record.dealer, record.score)

    def _follow(self, number: int, record: DealRecord) -> None:
        """Begin deal `number` of the match, the one of a record."""
        before = f"resume: deal {number} does not follow the one before it"
        try:
            self.next_deal()
        except ValueError as error:
            raise ValueError(f"{before}: {error}") from error
        expected = (self.rules, int(self.state.dealer), self.score)
        if expected != (record.rules, record.dealer, record.score):
            raise ValueError(f"{before}: its rules, dealer or score do not go on from there")
        if self.record().hands != record.hands:
            place(self.state, record.hands)

    def __str__(self) -> str:
        return render.text(self.state)

    def _repr_svg_(self) -> str:
        """The table as a picture, in a notebook."""
        return render.svg(self.state)

    def __repr__(self) -> str:
        return f"<Game seed={self.seed} score={self.score} {self.phase.name} seat={self.seat}>"
