"""The folder of a training run: its options, metrics, checkpoint, policy and learning curve.

| file | what |
|---|---|
| `config.json` | every option |
| `metrics.jsonl` | a line for each update and for the final matches; never goes back in time |
| `checkpoint.pt` | everything needed to go on exactly: tensors and plain types only |
| `policy.safetensors` | the actor, for `agents.policy` |
| `curve.jsonl`, `curve.png` | the evaluations during training |
| `tracked.json` | what `agents.trackers` has sent elsewhere, where asked to |
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from touti_env.files import replacing

from .options import Args

CHECKPOINT_FORMAT = "touti-checkpoint-3"


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from."""


class RunFolder:
    """Reads and writes the files of one run; every file is replaced whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metrics = path / "metrics.jsonl"
        self.options = path / "config.json"
        self.checkpoint = path / "checkpoint.pt"
        self.policy = path / "policy.safetensors"
        self._tracked = path / "tracked.json"

    def begin(self, options: dict[str, Any]) -> None:
        """Make the folder for a new run.

        Raises:
            FileExistsError: It holds a run with a checkpoint. One without is begun again.
        """
        if self.checkpoint.exists():
            raise FileExistsError(
                f"{self.path} holds a run; go on with --resume, or choose another --name"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        self._write("metrics.jsonl", "")
        self._tracked.unlink(missing_ok=True)
        self._write("config.json", json.dumps(options, indent=2) + "\n")

    def log(self, row: dict[str, Any]) -> None:
        """Add a line to the metrics."""
        with self.metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def log_final(self, update: int, final: dict[str, Any]) -> None:
        """Add a line on the run's end, unless there is one: a resume may end it once more."""
        if all("final" not in row or row["update"] != update for row in self.rows()):
            self.log({"update": update, "final": final})

    def rows(self) -> Iterator[dict[str, Any]]:
        """The lines of the metrics."""
        for line in self.metrics.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)

    @staticmethod
    def check_goes_on(content: dict[str, Any], options: dict[str, Any]) -> None:
        """See to it that a run may go on from a checkpoint with these options.

        Raises:
            CheckpointError: One is another than the checkpoint's that cannot be, or the run is
                longer already.
        """
        for key in (
            "seed",
            "start",
            "rules",
            "threads",
            "num_envs",
            "actor_hidden",
            "critic_hidden",
            "belief_hidden",
            "canonical_suits",
            "critic_sees_all",
        ):
            # An older checkpoint does not know every option.
            before = content["args"].get(key, getattr(Args, key))
            if before != options[key]:
                raise CheckpointError(f"the checkpoint has {key} {before!r}, not {options[key]!r}")
        if options["updates"] < content["update"]:
            raise CheckpointError(
                f"updates is {options['updates']}; the checkpoint has {content['update']} of them, "
                "so as many or more are valid"
            )

    def go_on(self, options: dict[str, Any], update: int, readings: int) -> None:
        """Keep the options from now on, and drop what was logged after the checkpoint."""
        self._write("config.json", json.dumps(options, indent=2) + "\n")
        place = (update, readings)
        kept = [
            json.dumps(row)
            for row in self.rows()
            if (row["update"], row.get("readings", 0)) <= place
        ]
        self._write("metrics.jsonl", "".join(f"{line}\n" for line in kept))

    def tracked(self) -> dict[str, Any]:
        """What each tracker was sent; nothing before the first time."""
        if not self._tracked.exists():
            return {}
        content: dict[str, Any] = json.loads(self._tracked.read_text(encoding="utf-8"))
        return content

    def track(self, content: dict[str, Any]) -> None:
        """Keep what each tracker was sent."""
        self._write("tracked.json", json.dumps(content, indent=2) + "\n")

    def save(self, content: dict[str, Any]) -> None:
        """Write a checkpoint, whole or not at all."""
        part = self.checkpoint.with_suffix(".part")
        torch.save({"format": CHECKPOINT_FORMAT, **content}, part)
        os.replace(part, self.checkpoint)

    def load(self) -> dict[str, Any]:
        """The checkpoint.

        Raises:
            CheckpointError: There is none, or it is corrupt or foreign.
        """
        if not self.checkpoint.exists():
            raise CheckpointError(f"{self.checkpoint}: there is no checkpoint to go on from")
        try:
            content = torch.load(self.checkpoint, map_location="cpu", weights_only=True)
        except Exception as error:
            raise CheckpointError(f"{self.checkpoint} cannot be read: {error}") from error
        if not isinstance(content, dict) or content.get("format") != CHECKPOINT_FORMAT:
            raise CheckpointError(f"{self.checkpoint} is no checkpoint of this program")
        return content

    def write_curve(self, bot: str) -> str:
        """Write the evaluations against `bot` as JSON Lines and, with matplotlib, as a picture.

        Returns:
            Where they are.
        """
        points = [
            {"decisions": row["decisions"], "seconds": row["seconds"], **row["evaluation"]}
            for row in self.rows()
            if "evaluation" in row
        ]
        self._write("curve.jsonl", "".join(json.dumps(point) + "\n" for point in points))
        if _plot(points, bot, self.path / "curve.png"):
            return f"{self.path}/curve.jsonl and curve.png"
        return f"{self.path}/curve.jsonl (curve.png needs matplotlib)"

    def _write(self, name: str, text: str) -> None:
        with replacing(self.path / name) as file:
            file.write(text)


def _plot(points: list[dict[str, Any]], bot: str, path: Path) -> bool:
    """Draw the curve; False where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    x = np.array([point["decisions"] for point in points]) / 1e6
    y = np.array([point["mean"] for point in points])
    spread = 1.96 * np.array([point["standard_error"] for point in points])
    axes.plot(x, y)
    axes.fill_between(x, y - spread, y + spread, alpha=0.2)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("learner's decisions (millions)")
    axes.set_ylabel(f"points per deal against {bot} (95%)")
    figure.savefig(path, dpi=120)
    return True
