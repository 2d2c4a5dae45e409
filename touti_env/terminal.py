"""A game at a terminal: what a person reads and types, in at most 80 columns.

All that is shown is a function of one seat's views, so nothing is shown that the seat cannot know.
`news` tells what has happened from one view to the next, `situation` where the seat stands,
`reply` answers a question (`hint`, `why 3O`, `table`), `understand` turns a line into an action.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
import textwrap
from typing import IO

import numpy as np

from . import notation, render
from .agent import Agent, act
from .core.actions import LEVELS, contract_of
from .core.cards import SEATS, SUITS, cards_of, pair_of
from .core.scoring import ghna_cap
from .core.state import Phase, State
from .explain import explain
from .notation import SUIT_LETTERS, SUIT_NAMES, IllegalAction, card_name, card_names, signal_name
from .view import shown_lacking, unseen

WIDTH = 80
TOP = 3  # how many of an agent's actions a hint names

HELP = """\
Type one of the legal words, such as 80, pass, trump C, ghna C, 1O (the ace of
oros). Suits: O oros, C copas, E espadas, B bastos. An empty line plays the only
legal word.
  hint      what is known of the unseen cards, and what an agent would choose
  why 3O    which rule forbids it
  table     the whole deal so far
  hand      your cards, and what is legal"""

_ASKS = {
    Phase.AUCTION: "you may say",
    Phase.SIGNAL: "your partner is to speak; you may signal",
    Phase.TRUMP: "you name trump",
    Phase.PLAY: "you may play",
    Phase.GHNA: "you may declare",
    Phase.ANSWER: "your partner proposes to give up; you may",
}
_CARD = re.compile(r"\b(?:1[0-2]|[1-7])([OCEB])\b")
_COLOURS = {"O": "33", "C": "35", "E": "36", "B": "1"}  # the letter says the suit without them


class Console:
    """Lines in, lines out; cards in colour if a terminal shows them and `NO_COLOR` is not set."""

    def __init__(self, source: IO[str] | None = None, target: IO[str] | None = None) -> None:
        self.source = sys.stdin if source is None else source
        self.target = sys.stdout if target is None else target
        self.colour = (
            self.target.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    def say(self, text: str) -> None:
        """Print a text, its long lines wrapped."""
        text = "\n".join(wrapped(line) for line in text.split("\n"))
        self.target.write(f"{painted(text) if self.colour else text}\n")

    def ask(self, prompt: str) -> str:
        """The next line typed, without the spaces round it.

        Raises:
            EOFError: There is none.
        """
        self.target.write(prompt)
        self.target.flush()
        line = self.source.readline()
        if not self.source.isatty() or not line:  # a terminal has shown the line itself
            self.target.write(line if line.endswith("\n") else f"{line}\n")
        if not line:
            raise EOFError
        return line.strip()


def painted(text: str) -> str:
    """The text with its cards in the colours of their suits, for a terminal."""
    return _CARD.sub(lambda card: f"\x1b[{_COLOURS[card[1]]}m{card[0]}\x1b[0m", text)


def wrapped(line: str) -> str:
    """A line broken at spaces, what follows indented as deep as its text."""
    if len(line) <= WIDTH:
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(
        line, WIDTH, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True
    )


def who(view: State, seat: int) -> str:
    """What the viewer calls a seat."""
    return "you" if seat == view.viewer else f"seat {seat}"


def news(before: State, after: State) -> list[str]:
    """What the viewer has learned from one view of a deal to the next, a line each."""
    lines = [*_said(before, after), *_declared(before, after), *_conceding(before, after)]
    if before.phase in (Phase.AUCTION, Phase.SIGNAL) and after.phase == Phase.TRUMP:
        lines.append(f"{who(after, after.declarer)} declare{_s(after)} at {after.contract}")
    if before.trump < 0 <= after.trump:
        lines.append(f"trump: {SUIT_NAMES[after.trump]}")
    for place in range(int(before.played), int(after.played)):
        seat = (int(after.leaders[place // SEATS]) + place) % SEATS
        lines.append(f"{who(after, seat)}: {card_name(int(after.plays[place]))}")
        if place % SEATS == SEATS - 1:
            lines.append(_taken(after, place // SEATS))
    if before.phase != Phase.OVER == after.phase:
        lines.append(outcome(after))
    return lines


def _s(view: State) -> str:
    return "" if view.declarer == view.viewer else "s"


def _said(before: State, after: State) -> list[str]:
    """Bids, passes, announcements and signals."""
    lines = []
    for seat in range(SEATS):
        for level in range(1, LEVELS + 1):
            if (int(after.bids[seat]) ^ int(before.bids[seat])) >> level & 1:
                lines.append(f"{who(after, seat)}: {contract_of(level)}")
            if after.signals[seat, level] != before.signals[seat, level]:
                word = signal_name(int(after.signals[seat, level]))
                lines.append(f"{who(after, seat)}, to the partner: {word}")
        if after.left_at[seat] != before.left_at[seat]:
            lines.append(f"{who(after, seat)}: {signal_name(int(after.announced[seat]))}")
    return lines


def _declared(before: State, after: State) -> list[str]:
    return [
        f"{who(after, int(after.ghna_by[suit]))}: ghna {SUIT_LETTERS[suit]}"
        f" (Ghna of the team: {after.ghna_points})"
        for suit in range(SUITS)
        if before.ghna_by[suit] < 0 <= after.ghna_by[suit]
    ]


def _conceding(before: State, after: State) -> list[str]:
    """The talk about conceding, as far as the view shows it (§10.2)."""
    lines = [
        f"{who(after, seat)}: concede?"
        for seat in range(SEATS)
        if after.proposals[seat] != before.proposals[seat]
    ]
    if after.conceded:
        lines.append("the defenders concede")
    elif before.phase == Phase.ANSWER and after.phase == Phase.PLAY:
        lines.append(f"{who(after, int(before.seat))}: refuse")
    return lines


def _taken(view: State, trick: int) -> str:
    """Who took a trick, and what the teams have."""
    winner = who(view, int(view.leaders[trick + 1]))
    return f"  trick {trick + 1} to {winner}; card points {view.points[0]}:{view.points[1]}"


def outcome(view: State) -> str:
    """What a deal that is over came to."""
    if view.scored < 0:
        return "nobody bid: nobody scores (§3.7)"
    verdict = "made" if view.total >= view.contract else "failed"
    team = f"seats {view.scored} and {view.scored + 2}"
    return (
        f"contract {view.contract}, total {view.total}: {verdict}; {team} score {view.contract}."
        f" Match {view.score[0]}:{view.score[1]}"
    )


def situation(view: State) -> str:
    """Where the viewer, whose turn it is, stands: contract, trick, hand, and what is legal."""
    lines = []
    if view.trump >= 0:
        declarer = who(view, int(view.declarer))
        lines.append(
            f"  contract {view.contract} by {declarer}, trump {SUIT_NAMES[view.trump]};"
            f" card points {view.points[0]}:{view.points[1]}, Ghna {view.ghna_points}"
        )
        lines.append(f"  on the table: {_trick(view)}")
    lines.append(f"  your hand: {' '.join(card_names(int(view.hands[view.viewer]))) or '-'}")
    lines.append(f"  {_ASKS[Phase(view.phase)]}: {' '.join(_legal_words(view))}")
    return "\n".join(lines)


def _trick(view: State) -> str:
    first = int(view.played) - int(view.played) % SEATS
    cards = [
        f"{who(view, (int(view.leaders[first // SEATS]) + place) % SEATS)} {card_name(int(card))}"
        for place, card in enumerate(view.plays[first : int(view.played)])
    ]
    return ", ".join(cards) or "nothing yet"


def _legal_words(view: State) -> list[str]:
    return [notation.name(action, view.phase) for action in notation.legal_actions(view)]


def understand(view: State, line: str) -> int:
    """The legal action id that a line means; an empty one means the only legal action.

    Raises:
        IllegalAction: It means none; the message says why, or what may have been meant.
    """
    legal = notation.legal_actions(view)
    if not line:
        if len(legal) == 1:
            return legal[0]
        raise IllegalAction("type one of the legal words, or `help`")
    try:
        action = notation.parse(line, view.phase)
    except ValueError:
        raise IllegalAction(f"{line!r} is no word here{_meant(view, line)}") from None
    if action not in legal:
        raise IllegalAction(why(view, action))
    return action


def _meant(view: State, line: str) -> str:
    """The legal word that a misspelt line is likely to mean."""
    words = {word.lower(): word for word in _legal_words(view)}
    typed = line.lower().replace(" ", "")
    turned = f"{typed[1:]}{typed[:1]}"  # O3
    lettered = f"{typed[:-1]}o" if typed.endswith("0") else typed  # 30
    spaced = {word.replace(" ", ""): word for word in words}
    close = [spaced[text] for text in (typed, turned, lettered) if text in spaced]
    close = close or difflib.get_close_matches(line.lower(), words, 1)
    if close:
        return f"; did you mean {words[close[0]]}?"
    return f"; legal: {' '.join(words.values())}"


def why(view: State, action: int) -> str:
    """Why the viewer may not take an action now, or that it may."""
    word = notation.name(action, view.phase)
    reason = explain(view, action)
    if reason is None:
        return f"{word} is legal"
    return f"{word} is not legal for seat {view.viewer}: {reason}"


def reply(view: State, line: str, adviser: Agent | None = None) -> str | None:
    """The answer to a question about the viewer's turn; None if the line asks none."""
    question, _, rest = line.partition(" ")
    question = question.lower()
    if question in ("?", "help"):
        return HELP
    if question == "hint":
        return hint(view, adviser)
    if question == "table":
        return render.text(view)
    if question == "hand":
        return situation(view)
    if question == "why":
        return _why(view, rest.strip())
    return None


def _why(view: State, word: str) -> str:
    if not word:
        return "why what? For example: why 3O"
    try:
        return why(view, notation.parse(word, view.phase))
    except ValueError as error:
        return str(error)


def hint(view: State, adviser: Agent | None = None) -> str:
    """What the viewer can know of the cards it does not see, and what an agent would do."""
    out = int(unseen(view))
    lines = [f"  unseen, {suit}" for suit in _by_suit(out)]
    for seat in range(SEATS):
        if seat != view.viewer:
            lines += _known(view, seat, out)
    if view.contract:
        cap = ghna_cap(view.rules, int(view.contract))
        so_far = ""
        if view.trump >= 0:
            team = int(view.declarer) & 1
            so_far = (
                f"; the declaring team has {view.points[team]} in cards, {view.ghna_points} in Ghna"
            )
        lines.append(f"  contract {view.contract}, Ghna up to {cap}{so_far}")
    if adviser is not None:
        lines.append(f"  {adviser.name} would choose: {_advice(view, adviser)}")
    return "\n".join(lines)


def _by_suit(cards: int) -> list[str]:
    """The suits of a set of cards: `oros: 1O 3O`."""
    suits = [(SUIT_NAMES[suit], int(cards_of(suit)) & cards) for suit in range(SUITS)]
    return [f"{name}: {' '.join(card_names(held))}" for name, held in suits if held]


def _known(view: State, seat: int, out: int) -> list[str]:
    """What a seat has shown to hold and not to hold, of the unseen cards."""
    lacking = int(shown_lacking(view, seat)) & out
    facts = []
    for suit in range(SUITS):
        of_suit = int(cards_of(suit)) & out
        if of_suit and lacking & of_suit == of_suit:
            facts.append(f"no {SUIT_NAMES[suit]}")
        elif lacking & of_suit:
            facts.append(f"not {' '.join(card_names(lacking & of_suit))}")
        if view.ghna_by[suit] == seat and (held := int(pair_of(suit)) & out):
            facts.append(f"has {' '.join(card_names(held))}")
    return [f"  seat {seat}: {', '.join(facts)}"] if facts else []


def _advice(view: State, adviser: Agent) -> str:
    """The adviser's likeliest actions with their probabilities, or its one choice."""
    if not hasattr(adviser, "probs"):
        return notation.name(act(adviser, view, np.random.default_rng(0)), view.phase)
    probs = np.asarray(adviser.probs(view))
    best = [int(action) for action in np.argsort(-probs, kind="stable")[:TOP] if probs[action] > 0]
    return ", ".join(f"{notation.name(a, view.phase)} {100 * probs[a]:.0f}%" for a in best)
