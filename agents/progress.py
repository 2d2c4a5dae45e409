"""How a run is shown: a live line with a bar on a terminal, a plain line now and then on a pipe."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from .evaluation import in_short

PLAIN_EVERY = 20.0
"""Seconds between lines on a pipe; evaluations are always shown."""


class Progress:
    """A context in which `advance` shows each update.

    Args:
        total: How many updates the run has.
        done: How many of them were made before.
        bot: Whom evaluations are against.
    """

    def __init__(self, total: int, done: int, bot: str) -> None:
        self.total, self.bot = total, bot
        self.console = Console()
        self.live = self.console.is_terminal
        self.last_evaluation = "none yet"
        self.last_line = 0.0
        self.bar = Bar(
            TextColumn("update"),
            MofNCompleteColumn(),
            BarColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.live,
        )
        self.task = self.bar.add_task("", total=total, completed=done)

    def __enter__(self) -> Progress:
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def note(self, text: str) -> None:
        """Show a line of text."""
        if self.live:
            self.bar.update(self.task, description=text)
        else:
            print(text, flush=True)

    def advance(self, row: dict[str, Any]) -> None:
        """Show an update's metrics."""
        evaluation = row.get("evaluation")
        if evaluation:
            self.last_evaluation = in_short(evaluation)
        text = f"{row['decisions_per_second']:,.0f} decisions/s, {self.bot}: {self.last_evaluation}"
        if self.live:
            self.bar.update(self.task, advance=1, description=text)
        elif evaluation or time.monotonic() - self.last_line > PLAIN_EVERY:
            self.last_line = time.monotonic()
            left = (self.total - row["update"]) * row["seconds"] / row["update"]
            print(
                f"update {row['update']}/{self.total}: {text}, {_entropy(row)}, {left:.0f} s left",
                flush=True,
            )


def _entropy(row: dict[str, Any]) -> str:
    """The entropy of all decisions, and of the two kinds that most of them are, where there are."""
    kinds = [kind for kind in ("auction", "play") if f"entropy/{kind}" in row]
    parts = [f"{kind} {row[f'entropy/{kind}']:.2f}" for kind in kinds]
    return f"entropy {row['entropy']:.2f} ({', '.join(parts)})"
