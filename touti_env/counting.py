"""The score of a deal that was counted at a real table.

>>> from touti_env import counting
>>> print(counting.played(100, points=65, last_trick="defenders", ghna=[40]).text())
contract 100, Ghna up to 100
   65  card points of the declaring team
    0  last trick, won by the defenders
   40  Ghna
  105  total: made by 5
The declaring team scores 100.

Every number comes from `core.scoring`, the functions that end a deal in the engine; they are those
of all named variants. What cannot have happened is refused, and the rule's paragraph cited.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .core import cards, scoring
from .core.actions import BID_STEP, MAX_BID, MIN_BID
from .core.cards import CARD_POINTS, DECK_POINTS, RANKS, SUITS
from .core.rules import Rules

RULES = Rules().record()
GHNA_TRUMP, GHNA_PLAIN = Rules().ghna_trump, Rules().ghna_plain
CONTRACTS = tuple(range(MIN_BID, MAX_BID + 1, BID_STEP))
PAIR_RANKS = (cards.CABAL, cards.REY)

DECLARERS, DEFENDERS = SIDES = "declarers", "defenders"
"""The two sides of a deal: the declaring team and the others."""

WORDS = {
    "heading": "contract {contract}, Ghna up to {cap}",
    "points": "card points of the declaring team",
    "swept": "card points: all but the {theirs} of the defenders",
    "last declarers": "last trick, won by the declaring team",
    "last defenders": "last trick, won by the defenders",
    "last conceded": "last trick, conceded",
    "ghna": "Ghna",
    "pairs": "whole pairs, credited at the concession",
    "exactly": "total: made exactly",
    "made": "total: made by {by}",
    "failed": "total: failed by {by}",
    "declarers": "The declaring team scores {contract}.",
    "defenders": "The defenders score {contract}.",
    "no contract": "the contract {value} is no bid; the tens from 70 to 230 are (§3.1)",
    "no points": "card points of {value}: 0 to 120 can be taken (§1.6)",
    "no sum": "card points of {value} cannot occur: no cards are worth 1, and all are worth 120"
    " (§1.6)",
    "no sum left": "card points of {value} cannot be the defenders': other hands hold whole pairs,"
    " {pairs} of them (§1.6, §8.5)",
    "no last": "the last trick is won by the declarers or by the defenders (§6.8)",
    "no ghna": "a Ghna of {value}: 40 in trumps and 20 in another suit are valid (§7.1)",
    "no such pair": "a pair of {value}: 40 in trumps and 20 in another suit are valid (§7.1)",
    "two trumps": "only one Ghna is in trumps, worth 40 (§7.1)",
    "four plain": "only three Ghnas are in other suits than trumps, worth 20 each (§7.1)",
    "over": "a Ghna of {value} does not fit: at {contract} the cap is {cap}, {left} of it is left"
    " (§7.3)",
}
"""All that is said about a deal, with what is filled in: the page says it in the same words."""


class ScoreError(ValueError):
    """What was counted cannot have happened; the message cites the rule."""


def say(key: str, **values: object) -> str:
    """The words of `WORDS` under `key`, filled in."""
    return WORDS[key].format(**values)


@dataclass(frozen=True)
class Result:
    """A deal, as counted and as scored.

    Attributes:
        contract: The number bid.
        points: The declaring team's card points.
        last_trick: The side that won it.
        ghna: What each Ghna was worth, in the order declared.
        conceded: Whether the defenders gave the deal up.
        pairs: What each pair still whole then was worth.
        credited: What of these pairs counts.
        total: The declaring team's total (§9.1).
        scores: The side that scores the contract (§9.2, §9.3).
    """

    contract: int
    points: int
    last_trick: str
    ghna: tuple[int, ...]
    conceded: bool
    pairs: tuple[int, ...]
    credited: int
    total: int
    scores: str

    @property
    def made(self) -> bool:
        """Whether the contract was made."""
        return self.scores == DECLARERS

    @property
    def by(self) -> int:
        """How far the total is from the contract."""
        return abs(self.total - self.contract)

    def asdict(self) -> dict[str, Any]:
        """Every number by name, of plain types that JSON can hold."""
        return {
            "contract": self.contract,
            "points": self.points,
            "last_trick": self.last_trick,
            "ghna": list(self.ghna),
            "conceded": self.conceded,
            "pairs": list(self.pairs),
            "credited": self.credited,
            "total": self.total,
            "made": self.made,
            "by": self.by,
            "scores": self.scores,
        }

    def lines(self) -> list[tuple[int, str]]:
        """The sum spelled out: numbers and what they are, the total last."""
        swept = say("swept", theirs=DECK_POINTS - self.points)
        won = last_trick_points(self.last_trick)
        last = "last conceded" if self.conceded else f"last {self.last_trick}"
        lines = [(self.points, swept if self.conceded else say("points")), (won, say(last))]
        lines += [(worth, say("ghna")) for worth in self.ghna]
        if self.conceded:
            lines.append((self.credited, say("pairs")))
        verdict = "exactly" if self.by == 0 else "made" if self.made else "failed"
        return [*lines, (self.total, say(verdict, by=self.by))]

    def text(self) -> str:
        """The sum, a line for each number, and who scores."""
        cap = scoring.ghna_cap(RULES, self.contract)
        lines = [say("heading", contract=self.contract, cap=cap)]
        lines += [f"{number:5}  {what}" for number, what in self.lines()]
        return "\n".join([*lines, say(self.scores, contract=self.contract)])


def played(contract: int, points: int, last_trick: str, ghna: Iterable[int] = ()) -> Result:
    """The score of a deal that was played to its end (§9).

    Args:
        contract: 70 to 230.
        points: The declaring team's card points, 0 to 120.
        last_trick: The side that won it, `declarers` or `defenders`.
        ghna: What each Ghna was worth, 40 or 20, in the order declared.

    Raises:
        ScoreError: That cannot have happened.
    """
    ghna = tuple(ghna)
    _check_contract(contract)
    check_points(points)
    if last_trick not in SIDES:
        raise ScoreError(say("no last"))
    check_ghna(contract, ghna)
    return _result(contract, points, last_trick, ghna)


def conceded(
    contract: int,
    defenders_points: int,
    ghna: Iterable[int] = (),
    pairs: Iterable[int] = (),
) -> Result:
    """The score of a deal that the defenders gave up (§8.4 to §8.6).

    Args:
        contract: 70 to 230.
        defenders_points: The card points of the defenders' finished tricks.
        ghna: What each Ghna declared so far was worth, in order.
        pairs: What each pair is worth, 40 or 20, that a declaring player still holds whole and has
            not declared.

    Raises:
        ScoreError: That cannot have happened.
    """
    ghna, pairs = tuple(ghna), tuple(pairs)
    _check_contract(contract)
    for worth in pairs:
        if type(worth) is not int or worth not in (GHNA_TRUMP, GHNA_PLAIN):
            raise ScoreError(say("no such pair", value=worth))
    check_ghna(contract, ghna)
    check_kinds((*ghna, *pairs))
    check_points(defenders_points, len(pairs))
    left = scoring.cap_left(RULES, contract, sum(ghna))
    credited = scoring.whole_pairs(RULES, left, pairs.count(GHNA_TRUMP), pairs.count(GHNA_PLAIN))
    points = DECK_POINTS - defenders_points
    return _result(contract, points, DECLARERS, ghna, True, pairs, int(credited))


def _result(
    contract: int,
    points: int,
    last_trick: str,
    ghna: tuple[int, ...],
    given_up: bool = False,
    pairs: tuple[int, ...] = (),
    credited: int = 0,
) -> Result:
    won = last_trick == DECLARERS
    total = int(scoring.total_of(RULES, points, won, sum(ghna) + credited))
    scores = SIDES[scoring.scorer(contract, total, 0)]
    return Result(contract, points, last_trick, ghna, given_up, pairs, credited, total, scores)


def last_trick_points(side: str) -> int:
    """What the last trick brings the declaring team (§6.8)."""
    return int(scoring.total_of(RULES, 0, side == DECLARERS, 0))


def _check_contract(contract: int) -> None:
    if type(contract) is not int or contract not in CONTRACTS:
        raise ScoreError(say("no contract", value=contract))


@cache
def possible_points(pairs: int = 0) -> frozenset[int]:
    """The card points that cards can add up to, when `pairs` pairs lie elsewhere (§1.6)."""
    sums = {0}
    for strength in range(len(RANKS)):
        away = pairs if strength in PAIR_RANKS else 0
        for _ in range(SUITS - away):
            sums |= {so_far + int(CARD_POINTS[strength]) for so_far in sums}
    return frozenset(sums)


def check_points(points: int, pairs: int = 0) -> None:
    """Raise unless a side's tricks can hold `points` while `pairs` pairs are in the other's hands.

    Raises:
        ScoreError: They cannot.
    """
    if type(points) is not int or not 0 <= points <= DECK_POINTS:
        raise ScoreError(say("no points", value=points))
    if points not in possible_points():
        raise ScoreError(say("no sum", value=points))
    if points not in possible_points(pairs):
        raise ScoreError(say("no sum left", value=points, pairs=pairs))


def check_ghna(contract: int, ghna: Sequence[int]) -> None:
    """Raise unless Ghnas worth this much can be declared in this order (§7.1, §7.3).

    Raises:
        ScoreError: They cannot.
    """
    so_far = 0
    for number, worth in enumerate(ghna, 1):
        if type(worth) is not int or worth not in (GHNA_TRUMP, GHNA_PLAIN):
            raise ScoreError(say("no ghna", value=worth))
        check_kinds(ghna[:number])
        left = int(scoring.cap_left(RULES, contract, so_far))
        if worth > left:
            cap = int(scoring.ghna_cap(RULES, contract))
            raise ScoreError(say("over", value=worth, contract=contract, cap=cap, left=left))
        so_far += worth


def check_kinds(worths: Sequence[int]) -> None:
    """Raise unless there can be so many pairs: one suit is trumps, three are not (§5.1).

    Raises:
        ScoreError: There cannot.
    """
    if worths.count(GHNA_TRUMP) > 1:
        raise ScoreError(say("two trumps"))
    if worths.count(GHNA_PLAIN) > SUITS - 1:
        raise ScoreError(say("four plain"))
