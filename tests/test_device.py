"""Networks and experience elsewhere than the games."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from agents import device, policy  # noqa: E402
from agents.run import RunFolder  # noqa: E402
from tests.far import FAR, Far, far_device  # noqa: E402
from tests.small_run import metrics, stop_after, trained  # noqa: E402

RUN = ("--updates", "3", "--threads", "2", "--precision", "float32")


def test_what_is_far_keeps_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests below would fail if the trainer forgot a tensor."""
    with far_device(monkeypatch):
        far, near = torch.ones(2, device=FAR), torch.ones(2)
        assert isinstance(far + 1, Far) and far.device == FAR
        assert isinstance(near.to(FAR), Far) and not isinstance(far.cpu(), Far)
        with pytest.raises(AssertionError, match="among far ones"):
            far + near
        with pytest.raises(AssertionError, match="among far ones"):
            far[torch.tensor([0])]
        with pytest.raises(TypeError, match="NumPy"):
            far.numpy()


def test_a_run_on_a_device_learns_as_on_the_cpu(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one minibatch a pass, it does not matter who learns which part of it."""
    flags = (*RUN, "--num-minibatches", "1")
    assert trained("--name", "near", *flags) == 0
    with far_device(monkeypatch):
        assert trained("--name", "far", *flags, "--device", "cuda") == 0
    near, far = (metrics(folder / "runs" / name) for name in ("near", "far"))
    assert len(near) == len(far) == 6
    for row, other in zip(near[1:-2], far[1:-2], strict=True):
        assert row.keys() == other.keys()
        for key in ("decisions", "episodes", "entropy/auction", "explained_variance/play"):
            assert other[key] == pytest.approx(row[key], abs=2e-3), key
    assert far[-2]["surprise"] == pytest.approx(near[-2]["surprise"], abs=2e-3)
    assert_close(*(policy_of(folder, name) for name in ("near", "far")), atol=1e-3)


def test_a_resume_on_a_device_is_exact_and_goes_on_on_the_cpu(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with far_device(monkeypatch):
        assert trained("--name", "whole", *RUN, "--device", "cuda") == 0
        for name in ("halves", "moved"):
            stop_after(2, ("--name", name, *RUN, "--device", "cuda"))
        assert trained("--name", "halves", *RUN, "--device", "cuda", "--resume") == 0
    assert metrics(folder / "runs" / "whole") == metrics(folder / "runs" / "halves")
    assert trained("--name", "moved", *RUN, "--device", "cpu", "--resume") == 0
    assert RunFolder(folder / "runs" / "moved").load()["update"] == 3
    whole, halves, moved = (policy_of(folder, name) for name in ("whole", "halves", "moved"))
    assert_close(whole, halves, atol=0)
    assert_close(whole, moved, atol=1e-3)


def policy_of(folder: Path, name: str) -> list[torch.Tensor]:
    actor, _ = policy.read(folder / "runs" / name / "policy.safetensors")
    return [weights.detach() for weights in actor.parameters()]


def assert_close(one: list[torch.Tensor], other: list[torch.Tensor], atol: float) -> None:
    for a, b in zip(one, other, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("gpus", "name", "place"),
    [
        (0, "cpu", "cpu"),
        (0, "auto", "cpu"),
        (2, "cpu", "cpu"),
        (2, "auto", "cuda:0"),
        (2, "cuda", "cuda:0"),
        (2, "cuda:1", "cuda:1"),
    ],
)
def test_names_of_devices(
    monkeypatch: pytest.MonkeyPatch, gpus: int, name: str, place: str
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    assert device.chosen(name) == torch.device(place)


@pytest.mark.parametrize(
    ("gpus", "name", "valid"),
    [
        (0, "cuda", "cpu, auto"),
        (0, "gpu", "cpu, auto"),
        (2, "cuda:2", "cpu, auto, cuda, cuda:0, cuda:1"),
    ],
)
def test_a_device_that_is_not_there_is_told_before_anything_is_written(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gpus: int,
    name: str,
    valid: str,
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    assert trained("--name", "run", "--device", name) == 2
    assert capsys.readouterr().err == f"train.py: device is '{name}'; valid here are {valid}\n"
    assert not (folder / "runs").exists()
