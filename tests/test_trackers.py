"""The log elsewhere: imported only if asked for, every line once, also over a resume."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import train  # noqa: E402
from agents import config  # noqa: E402
from agents.options import Args  # noqa: E402
from agents.trackers import flat  # noqa: E402
from tests.small_run import SMALL, stop_after, trained  # noqa: E402


class Recorder:
    """Takes the place of both packages, and remembers what it is told."""

    Error = RuntimeError

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[tuple[int, str]] = []
        self.begun: list[dict[str, Any]] = []
        self.closed = 0
        monkeypatch.setitem(sys.modules, "wandb", self)
        tensorboard = SimpleNamespace(SummaryWriter=lambda path: self)
        monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", tensorboard)

    def init(self, **options: Any) -> "Recorder":
        self.begun.append(options)
        return self

    def Settings(self, **_: Any) -> None:  # noqa: N802
        pass

    def define_metric(self, name: str, step_metric: str) -> None:
        assert (name, step_metric) == ("*", "update")

    def log(self, numbers: dict[str, float], step: int) -> None:
        self.sent += [(step, name) for name in numbers]

    def add_scalar(self, name: str, number: float, update: int) -> None:
        assert isinstance(number, int | float)
        self.sent.append((update, name))

    def flush(self) -> None:
        pass

    def finish(self) -> None:
        self.closed += 1

    close = finish


@pytest.mark.parametrize("flags", ["--tensorboard", "--wandb touti"])
def test_a_resume_goes_on_and_doubles_nothing(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: str,
) -> None:
    """The disk is full at the second checkpoint: two updates are lost, and made again."""
    recorder = Recorder(monkeypatch)
    run = ("--name", "run", "--updates", "4", "--save-every", "2", *flags.split())
    trainer = train.Trainer(config.parse(Args, [*SMALL, *run]))
    write = trainer.folder.save

    def write_first(content: dict[str, Any]) -> None:
        if content["update"] == 4:
            raise OSError("full")
        write(content)

    trainer.folder.save = write_first  # type: ignore[method-assign]
    with pytest.raises(OSError, match="full"):
        trainer.run()
    assert trained(*run, "--resume") == 0
    assert trained(*run, "--resume") == 0  # ended already: prints its table again
    assert max(Counter(recorder.sent).values()) == 1
    rows = (folder / "runs" / "run" / "metrics.jsonl").read_text().splitlines()
    names = {name for row in rows for name, _ in flat(json.loads(row))}
    assert {"evaluation/mean", "final/muted/mean", "entropy/play"} <= names
    assert names - {"update"} <= {name for _, name in recorder.sent}
    assert len({options["id"] for options in recorder.begun}) <= 1


def test_a_log_is_sent_whole_to_a_tracker_that_comes_later(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = Recorder(monkeypatch)
    assert trained("--name", "run", "--updates", "2") == 0
    assert not recorder.sent
    assert train.main(["--name", "run", "--resume", "--wandb", "touti"]) == 0
    assert recorder.closed == 1
    assert [step for step, name in recorder.sent if name == "update"] == [0, 1, 2, 3, 4]
    assert recorder.begun[0]["project"] == "touti" and recorder.begun[0]["name"] == "run"


@pytest.mark.parametrize(
    ("flags", "extra"), [("--tensorboard", "tensorboard"), ("--wandb x", "wandb")]
)
def test_a_missing_package_is_told_before_anything_is_written(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flags: str,
    extra: str,
) -> None:
    for module in ("wandb", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, module, None)
    assert trained("--name", "run", *flags.split()) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line == (
        f'train.py: --{extra} needs a package that is not installed: pip install ".[{extra}]"'
    )
    assert not (folder / "runs").exists()


def test_a_service_that_refuses_is_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(**_: Any) -> None:
        raise RuntimeError("no key\nconfigured")

    monkeypatch.setattr(Recorder(monkeypatch), "init", refuse)
    assert trained("--name", "run", "--wandb", "touti") == 2
    assert capsys.readouterr().err == "train.py: --wandb touti: no key configured\n"


def test_nothing_is_imported_unless_asked_for() -> None:
    code = "import sys, train; print(sorted({'wandb', 'tensorboard'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_tensorboard_reads_what_is_written(folder: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run = ("--name", "run", "--updates", "4", "--tensorboard")
    stop_after(2, run)
    assert trained(*run, "--resume") == 0
    events = EventAccumulator(str(folder / "runs" / "run"))
    events.Reload()
    assert [point.step for point in events.Scalars("entropy")] == [1, 2, 3, 4]
    assert [point.step for point in events.Scalars("evaluation/mean")] == [0, 2, 4]
    assert [point.step for point in events.Scalars("final/muted/mean")] == [4]


def test_wandb_writes_without_a_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert trained("--name", "run", "--updates", "1", "--wandb", "touti") == 0
    assert list((folder / "runs" / "run" / "wandb").glob("offline-run-*/*.wandb"))
