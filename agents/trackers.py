"""A run's log for TensorBoard and Weights & Biases; their packages are imported only if asked for.

Each tracker is sent every line of `metrics.jsonl` once, in order, when a checkpoint holds what the
line tells. A resume forgets only later lines, so nothing that was sent is ever sent again. What
each has been sent is kept beside the log, in `tracked.json`.
"""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from .options import Args
from .run import RunFolder


class TrackerError(ValueError):
    """A tracker that was asked for and cannot be used."""


class Tracker(Protocol):
    """What shows a run somewhere else; made before there is a run, then opened once."""

    name: str

    def open(self, folder: Path, run_id: str, options: dict[str, Any]) -> None:
        """Get ready to be sent lines, the first or more of a run that it was sent lines of."""

    def send(self, line: int, numbers: dict[str, float]) -> None:
        """Show one line of the log, whose number in it is `line`."""

    def flush(self) -> None:
        """See to it that what was sent is kept."""

    def close(self) -> None:
        """The run is over, for now."""


class TensorBoard:
    """Event files in the run's folder: `tensorboard --logdir runs` shows every run."""

    name = "tensorboard"

    def __init__(self) -> None:
        self._writer = _needed("torch.utils.tensorboard", "tensorboard").SummaryWriter

    def open(self, folder: Path, run_id: str, options: dict[str, Any]) -> None:
        """Begin an event file; earlier ones of the run stay beside it."""
        self._events = self._writer(str(folder))

    def send(self, line: int, numbers: dict[str, float]) -> None:
        """All numbers of a line, at its update."""
        for name, number in numbers.items():
            if name != "update":
                self._events.add_scalar(name, number, numbers["update"])

    def flush(self) -> None:
        """Write what is in memory."""
        self._events.flush()

    def close(self) -> None:
        """Close the file."""
        self._events.close()


class WandB:
    """A run of a project at Weights & Biases, or offline where the environment says so."""

    def __init__(self, project: str) -> None:
        self.name, self.project = f"wandb {project}", project
        self._wandb = _needed("wandb", "wandb")

    def open(self, folder: Path, run_id: str, options: dict[str, Any]) -> None:
        """Begin or go on with the run of this id."""
        try:
            self._run = self._wandb.init(
                project=self.project,
                name=folder.name,
                id=run_id,
                resume="allow",
                dir=str(folder),
                config=options,
                settings=self._wandb.Settings(console="off"),
            )
        except self._wandb.Error as error:
            raise TrackerError(f"--wandb {self.project}: {' '.join(str(error).split())}") from error
        self._run.define_metric("*", step_metric="update")

    def send(self, line: int, numbers: dict[str, float]) -> None:
        """A line, as the step of its own number: an update's and the final one are two."""
        self._run.log(numbers, step=line)

    def flush(self) -> None:
        """Nothing to do: its own process has it."""

    def close(self) -> None:
        """Wait until everything is kept or sent."""
        self._run.finish()


class Trackers:
    """All trackers that a run's options ask for.

    Args:
        args: The run's options.

    Raises:
        TrackerError: The package of one is missing.
    """

    def __init__(self, args: Args) -> None:
        self._all: list[Tracker] = []
        if args.tensorboard:
            self._all.append(TensorBoard())
        if args.wandb:
            self._all.append(WandB(args.wandb))

    def open(self, folder: RunFolder, options: dict[str, Any]) -> None:
        """Begin or go on with a run's folder, which has been made."""
        self._folder = folder
        self._sent = folder.tracked()
        for tracker in self._all:
            new = {"id": secrets.token_hex(4), "lines": 0}
            tracker.open(folder.path, self._sent.setdefault(tracker.name, new)["id"], options)

    def follow(self) -> None:
        """Send every tracker the lines that it has not; call it when a checkpoint has been saved.

        They are noted as sent before they are: a line twice would be worse than none.
        """
        if not self._all:
            return
        rows = list(self._folder.rows())
        for tracker in self._all:
            sent = self._sent[tracker.name]
            first, sent["lines"] = sent["lines"], len(rows)
            self._folder.track(self._sent)
            for line in range(first, len(rows)):
                tracker.send(line, dict(flat(rows[line])))
            tracker.flush()

    def close(self) -> None:
        """No more lines come."""
        for tracker in self._all:
            tracker.close()


def flat(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a line, those of a group as `group/name`."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def _needed(module: str, extra: str) -> Any:
    """The module, which comes with an extra of the package, or one line that says so."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise TrackerError(
            f'--{extra} needs a package that is not installed: pip install ".[{extra}]"'
        ) from error
