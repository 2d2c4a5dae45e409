"""`touti play`: a match at the terminal, with and against agents."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import agent, records, terminal
from ..agent import Agent, act, blaming
from ..core.cards import SEATS
from ..core.deal import MAX_SEED
from ..core.rules import VARIANTS, as_rules
from ..game import Game
from ..notation import IllegalAction
from ..records import DealRecord
from .options import Refused, reader, whole

HUMAN, OTHERS = "human", "heuristic"
COMMANDS = """\
  undo      back to your decision before this one
  save FILE write the match to FILE; `touti play --resume FILE` goes on
  quit      leave the table"""


def add(commands: Any) -> None:
    """`touti play`: a match at the terminal, with and against agents."""
    parser = commands.add_parser(
        "play",
        help="a match at the terminal, with and against agents",
        description="Play a match in words, such as 80, pass, trump C, 1O. `help` lists what else "
        "may be typed: hint, why 3O, table, undo, save FILE, quit.",
    )
    parser.set_defaults(run=run, parser=parser)
    a_spec = reader(agent.load)
    for name, whose in (("partner", "your partner"), ("opponents", "the two others")):
        parser.add_argument(
            f"--{name}",
            type=a_spec,
            metavar="AGENT",
            help=f"{whose}; default: {OTHERS}, or who played in the match resumed",
        )
    parser.add_argument(
        "--seat", type=whole(0, SEATS - 1), metavar="N", help="where you sit, 0 to 3; default: 0"
    )
    parser.add_argument("--seed", type=whole(0, MAX_SEED), metavar="N", help="which deals")
    parser.add_argument(
        "--rules", type=reader(as_rules), default="standard", help=f"{', '.join(VARIANTS)}"
    )
    parser.add_argument("--resume", metavar="FILE", help="go on with a saved match")


def run(options: argparse.Namespace) -> None:
    """Play until the match is over, or the player leaves."""
    if options.resume:
        game, names = _resumed(options.resume)
    else:
        game, names = Game(options.rules, options.seed), [OTHERS] * SEATS
    seat = options.seat
    if seat is None:
        seat = names.index(HUMAN) if HUMAN in names else 0
    names[seat] = HUMAN
    given = [options.opponents] * SEATS
    given[seat ^ 2] = options.partner
    agents = [_seated(*pair) for pair in zip(given, names, strict=True)]
    Table(game, agents, seat, terminal.Console(), options.resume).play()


def _resumed(path: str) -> tuple[Game, list[str]]:
    """The match of a file, and who sat at each seat."""
    try:
        deals = list(records.load(path))
        game = Game.resume(deals)
    except ValueError as error:
        raise Refused(str(error), 1) from error
    return game, list(deals[-1].agents or [OTHERS] * SEATS)


def _seated(given: Agent | None, name: str) -> Agent:
    """Who was asked for, else who sat there before; in for a person comes the usual agent."""
    try:
        return given or agent.load(OTHERS if name == HUMAN else name)
    except ValueError as error:
        raise Refused(
            f"the match was played with {name!r}, which cannot be called in: {error}; "
            "--partner and --opponents say who plays",
            1,
        ) from error


class Table:
    """A match with a person at one of its seats.

    Args:
        game: Where it stands.
        agents: Who plays each seat; the one at the person's own is not asked.
        seat: The person's.
        console: Where the person reads and types.
        file: What `save` without a name writes to, and may write over.
    """

    def __init__(
        self,
        game: Game,
        agents: list[Agent],
        seat: int,
        console: terminal.Console,
        file: str | None = None,
    ) -> None:
        self.game, self.agents, self.seat, self.console = game, agents, seat, console
        self.file = file
        self.chance = np.random.default_rng((game.seed, 1))

    def play(self) -> None:
        """Until the match is over, or the person leaves, or the input ends."""
        self._greet()
        try:
            while not self.game.match_over:
                self._step()
        except EOFError:
            score = f"{self.game.score[0]}:{self.game.score[1]}"
            self.console.say(f"You leave the table at {score}.")
            return
        winner = 0 if self.game.score[0] > self.game.score[1] else 1
        us = "your team has" if winner == self.seat & 1 else "the opponents have"
        self.console.say(f"The match is over, {self.game.score[0]}:{self.game.score[1]}: {us} won.")

    def _greet(self) -> None:
        names = [f"seat {seat} {agent.name}" for seat, agent in enumerate(self.agents)]
        names[self.seat ^ 2] += " (your partner)"
        del names[self.seat]
        self.console.say(f"You are seat {self.seat}; {', '.join(names)}. Type `help` for help.")
        self._show_deal()

    def _show_deal(self) -> None:
        """The head of a deal; what has happened in it, if it is resumed."""
        state = self.game.state
        score = f"{state.score[0]}:{state.score[1]}"
        self.console.say(f"\nDealer {state.dealer}, score {score}, to {state.rules.target}.")
        if self.game.record().actions:
            self.console.say(terminal.reply(self.game.view(self.seat), "table") or "")

    def _step(self) -> None:
        """One decision of whoever has to act, or the next deal."""
        if self.game.deal_over:
            self.game.next_deal()
            self._show_deal()
        elif self.game.seat == self.seat:
            self._turn()
        else:
            agent = self.agents[self.game.seat]
            try:
                with blaming(agent):
                    self._take(act(agent, self.game.view(self.game.seat), self.chance))
            except IllegalAction as error:
                raise Refused(str(error), 1) from error

    def _take(self, action: int) -> None:
        """Take an action and tell what the person learns by it."""
        before = self.game.view(self.seat)
        self.game.push(action)
        for line in terminal.news(before, self.game.view(self.seat)):
            self.console.say(line)

    def _turn(self) -> None:
        """Ask until a decision is made, or another one is returned to."""
        view = self.game.view(self.seat)
        self.console.say(terminal.situation(view))
        while True:
            line = self.console.ask(f"seat {self.seat}> ")
            command, _, rest = line.partition(" ")
            if command == "quit":
                raise EOFError
            if command == "undo":
                return self._undo()
            if command == "save":
                self._save(rest.strip())
                continue
            answer = terminal.reply(view, line, self.agents[self.seat ^ 2])
            if answer is None:
                try:
                    return self._take(terminal.understand(view, line))
                except IllegalAction as error:
                    answer = str(error)
            elif answer == terminal.HELP:
                answer = f"{answer}\n{COMMANDS}"
            self.console.say(answer)

    def _undo(self) -> None:
        """Return to the person's decision before this one, in an earlier deal if need be."""
        earlier = self.game.clone()
        try:
            earlier.pop()
            while earlier.seat != self.seat:
                earlier.pop()
        except IndexError:
            self.console.say("this is your first decision: there is nothing to undo")
            return
        self.game = earlier
        self.console.say("taken back")

    def _save(self, path: str) -> None:
        """Write the match; a file that this match has not written is left alone."""
        path = path or self.file or ""
        if not path:
            self.console.say("save under what name? For example: save mine.jsonl")
        elif path != self.file and Path(path).exists():
            self.console.say(f"{path} is there already; choose another name")
        else:
            try:
                records.dump(self._records(), path)
            except OSError as error:
                self.console.say(f"{path} cannot be written: {error.strerror}")
                return
            self.file = path
            self.console.say(f"saved; `touti play --resume {path}` goes on")

    def _records(self) -> list[DealRecord]:
        names = [agent.name for agent in self.agents]
        names[self.seat] = HUMAN
        return [
            replace(record, agents=(names[0], names[1], names[2], names[3]))
            for record in self.game.records()
        ]
