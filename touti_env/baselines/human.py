"""A person at the terminal, asked for every decision.

`touti play` is the more comfortable table, with `undo` and `save`. As an agent, a person can sit
wherever agents do: `touti record human heuristic -o mine.jsonl --deals 1`.
"""

from __future__ import annotations

import numpy as np

from .. import terminal
from ..agent import Agent
from ..core.state import State
from ..notation import IllegalAction


class Human:
    """Shows the table as the seat may know it, and reads a word.

    Attributes:
        adviser: The agent that `hint` asks, if any.
    """

    name = "human"

    def __init__(self, console: terminal.Console | None = None, adviser: Agent | None = None):
        self.console = terminal.Console() if console is None else console
        self.adviser = adviser

    def act(self, view: State, rng: np.random.Generator | None = None) -> int:
        """The legal action id that the person names.

        Raises:
            EOFError: The input has ended.
        """
        self.console.say(terminal.reply(view, "table") or "")
        self.console.say(terminal.situation(view))
        while True:
            line = self.console.ask(f"seat {view.viewer}> ")
            answer = terminal.reply(view, line, self.adviser)
            if answer is None:
                try:
                    return terminal.understand(view, line)
                except IllegalAction as error:
                    answer = str(error)
            self.console.say(answer)


def load() -> Human:
    """A person; there are no options."""
    return Human()
