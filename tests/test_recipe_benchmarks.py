"""What the parts of the recipe are worth, and how far a policy can be exploited: tiny runs."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import train
from agents import config
from agents.options import Args
from benchmarks import ablation, exploit, kept, ship
from tests.small_run import SMALL, stop_after, trained
from touti_env.results import mean_and_error

TINY = (*SMALL, "--updates", "1", "--json", "numbers.json")


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on nothing may be trained or played."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("made again")

    monkeypatch.setattr(train.Trainer, "improve", never)
    monkeypatch.setattr(train.Trainer, "imitate", never)
    monkeypatch.setattr("touti_env.arena.duplicate", never)


@pytest.mark.parametrize("name", ablation.VARIANTS)
def test_every_variant_differs_from_the_base_in_valid_options(name: str) -> None:
    base = config.parse(Args, [], train.DEFAULT_CONFIG)
    changes = ablation.VARIANTS[name]
    dataclasses.replace(base, **changes)
    checked = {key: list(v) if isinstance(v, tuple) else v for key, v in changes.items()}
    assert config.check(Args, checked, name) == changes
    for key, value in changes.items():
        assert getattr(base, key) != value, key


def test_an_ablation_is_made_once(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (*TINY, "--only", "own-critic", "--seeds", "2", "--deals", "20")
    assert ablation.main(command) == 0
    shown = capsys.readouterr().out
    table = shown[shown.index("| variant") :]
    base, variant = table.splitlines()[2:4]
    assert base.startswith("| base |  | ")
    assert variant.startswith("| own-critic | `critic_sees_all` False | ")
    numbers = json.loads((folder / "numbers.json").read_text())
    head = numbers["variants"]["own-critic"]["head_to_head"]
    assert numbers["seeds"] == [1, 2] and len(head["by_seed"]) == 2
    assert head["mean"] == pytest.approx(np.mean(head["by_seed"]))
    assert head["spread"] == pytest.approx(np.std(head["by_seed"], ddof=1))
    forbid(monkeypatch)
    assert ablation.main(command) == 0
    assert capsys.readouterr().out.strip() == table.strip()
    assert json.loads((folder / "numbers.json").read_text()) == numbers
    assert ablation.main((*command, "--gamma", "0.9")) == 2
    assert "holds a run with gamma 1.0, not 0.9" in capsys.readouterr().err


def test_an_interrupted_run_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = (*TINY, "--only", "base", "--seeds", "1", "--deals", "20", "--updates", "2")
    stop_after(1, ("--name", "ablation/base-1", "--updates", "2", "--belief-updates", "0"))
    assert ablation.main(command) == 0
    assert "ablation/base-1: going on" in capsys.readouterr().out
    log = (folder / "runs" / "ablation" / "base-1" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["update"] for line in log] == [0, 1, 2]


def test_an_interrupt_says_how_to_go_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    improve = train.Trainer.improve

    def interrupted(run: train.Trainer) -> None:
        improve(run)
        run.interrupted = True

    monkeypatch.setattr(train.Trainer, "improve", interrupted)
    assert ablation.main((*TINY, "--only", "base", "--updates", "2")) == 130
    assert "the same command goes on" in capsys.readouterr().err


def test_a_policy_is_exploited_by_the_best_of_its_responses(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert trained("--name", "frozen", "--updates", "1", "--actor-hidden", "16") == 0
    file = "runs/frozen/policy.safetensors"
    command = (file, *TINY, "--seeds", "1", "--choice", "20", "--deals", "30")
    capsys.readouterr()
    assert exploit.main(command) == 0
    shown = capsys.readouterr().out
    table = shown[shown.index("| response") :]
    numbers = json.loads((folder / "numbers.json").read_text())
    cloned, itself = numbers["responses"]
    assert (cloned["start"], itself["start"]) == ("cloning", "itself")
    best = max((cloned, itself), key=lambda response: response["choice"]["mean"])
    assert numbers["chosen"] == best["file"]
    bound = numbers["lower_bound"]
    scores = json.loads(Path(best["file"]).with_name("score.json").read_text())["values"]
    assert len(scores) == 30
    assert (bound["mean"], bound["standard_error"]) == mean_and_error(scores)
    assert f"`{file}`" in table and f"{kept.in_words(bound)} points a deal" in table
    options = json.loads(Path(itself["file"]).with_name("config.json").read_text())
    assert (options["start"], options["actor_hidden"]) == (file, [16])
    assert (options["bot_share"], options["past_share"]) == (1, 0)
    forbid(monkeypatch)
    assert exploit.main(command) == 0
    assert capsys.readouterr().out.strip() == table.strip()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([2.0, 3.0, 4.0], "`p` can be exploited by at least +3.0 (+0.5 to +5.5) points a deal: "),
        ([-9.0, 3.0, 12.0], "no gain on `p` was found: +2.0 (-24.0 to +28.0) points a deal: "),
        ([-2.0, -3.0, -4.0], "no gain on `p` was found: -3.0 (-5.5 to -0.5) points a deal: "),
    ],
)
def test_a_bound_that_may_be_chance_is_not_called_one(values: list[float], said: str) -> None:
    lead = kept.lead(np.array(values))
    response = {"start": "cloning", "seed": 1, "decisions": 5, "seconds": 1, "choice": lead}
    deals = {"choice": 3, "score": 3}
    result = {"policy": {"file": "p"}, "lower_bound": lead, "responses": [response], "deals": deals}
    assert exploit.table(result)[-1].startswith(said)


def test_a_match_is_played_again_if_anything_differs(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    first = kept.match(path, "heuristic", "sane", 4, 1, "standard")
    assert np.array_equal(kept.match(path, "heuristic", "sane", 4, 1, "standard"), first)
    assert not np.array_equal(kept.match(path, "heuristic", "sane", 4, 2, "standard"), first)
    assert len(kept.match(path, "heuristic", "sane", 5, 2, "standard")) == 5


@pytest.mark.parametrize(
    ("command", "flags", "message"),
    [
        (ablation.main, ["--seeds", "0"], "--seeds is 0; 1 or more is valid"),
        (ablation.main, ["--only", "nothing"], "invalid choice: 'nothing'"),
        (exploit.main, ["none.safetensors"], "there is no such policy file"),
        (ship.main, ["none.safetensors"], "ship: none.safetensors: there is no such policy file"),
        (exploit.main, ["none.safetensors", "--seeds", "0"], "1 or more is valid"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], command, flags: list[str], message: str
) -> None:
    try:
        assert command(flags) == 2
    except SystemExit as error:
        assert error.code == 2
    assert message in capsys.readouterr().err
    assert not (folder / "runs").exists()
