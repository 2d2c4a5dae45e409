import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import touti_env
from touti_env import cli
from touti_env.cli import options

FEW = ["--deals", "20"]


def refused(capsys, *arguments):
    """What the user is told about wrong arguments."""
    with pytest.raises(SystemExit) as stop:
        cli.main(list(arguments))
    assert stop.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    return output.err


def without_notices(errors: str) -> list[str]:
    """The lines but those that say, on a first run, that something is compiled."""
    return [line for line in errors.splitlines() if "touti_env: compiling" not in line]


def test_two_agents_play_a_match(capsys):
    assert cli.main(["arena", "uniform", "uniform", *FEW]) == 0
    output = capsys.readouterr()
    assert "uniform against uniform" in output.out
    assert "20 deals, each at two tables; rules standard, seed 0" in output.out
    assert "+0.00 ± 0.00 points a deal" in output.out
    assert without_notices(output.err) == []


def test_three_agents_play_every_pair(capsys):
    assert cli.main(["arena", "uniform", "uniform", "uniform", *FEW, "--rules", "plain"]) == 0
    assert "the row leads the column" in capsys.readouterr().out


def test_a_sensible_agent_beats_chance(capsys):
    cli.main(["arena", "sane", "heuristic", "uniform", "--deals", "200", "--json", "-"])
    content = json.loads(capsys.readouterr().out)
    leads, errors = content["points_per_deal"], content["standard_error"]
    assert content["agents"] == ["sane", "heuristic", "uniform"]
    assert all(leads[i][2] > 5 * errors[i][2] > 0 for i in (0, 1))
    assert all(row["illegal"] == 0 for match in content["matches"] for row in match["agents"])


def test_a_ladder_is_kept_and_the_anchor_plays_along(capsys, tmp_path):
    keep = ["--keep", str(tmp_path / "ladder.json")]
    assert cli.main(["ladder", "uniform", "sane", *FEW, *keep]) == 0
    output = capsys.readouterr()
    assert without_notices(output.err) == []
    places = [line.split()[1] for line in output.out.splitlines()[3:6]]
    assert places == ["heuristic", "sane", "uniform"]
    assert "No cycles" in output.out
    cli.main(["ladder", "heuristic", "sane", "uniform", *FEW, *keep])
    assert capsys.readouterr().out == output.out
    assert "20 in the file, 21 was" in refused(
        capsys, "ladder", "sane", "uniform", "--deals", "21", *keep
    )


def test_a_ladder_as_json_and_as_a_picture(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "ladder.png"
    cli.main(["ladder", "sane", "--anchor", "uniform", *FEW, "--json", "-", "--plot", str(picture)])
    content = json.loads(capsys.readouterr().out)
    assert content["anchor"] == "uniform"
    assert [row["agent"] for row in content["ladder"]] == ["sane", "uniform"]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_needs_matplotlib(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    assert "touti-env[plot]" in refused(capsys, "ladder", "sane", "--plot", "a.png")


def test_json_to_stdout_alone(capsys):
    cli.main(["arena", "uniform", "uniform", *FEW, "--seed", "4", "--json", "-"])
    content = json.loads(capsys.readouterr().out)
    assert (content["deals"], content["seed"], content["points_per_deal"]) == (20, 4, 0.0)


def test_json_to_a_file_beside_the_table(capsys, tmp_path):
    path = tmp_path / "result.json"
    cli.main(["arena", "uniform", "uniform", "uniform", *FEW, "--json", str(path)])
    assert "the row leads the column" in capsys.readouterr().out
    assert json.loads(path.read_text(encoding="utf-8"))["agents"] == ["uniform"] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["arena", "nobody", "uniform"], "there is no 'nobody'; valid are"),
        (["arena", "uniform?luck=1", "uniform"], "no option 'luck'"),
        (["arena", "json", "uniform"], "agent 'json': option 'fp' is needed"),
        (["arena", "os.path", "uniform"], "has no load()"),
        (["arena", "uniform"], "required: OPPONENT"),
        (["arena", "uniform", "uniform", "--deals", "0"], "'0' is not a whole number of at least"),
        (["arena", "uniform", "uniform", "--deals", "many"], "'many' is not a whole number"),
        (["arena", "uniform", "uniform", "--seed", "-1"], "'-1' is not a whole number"),
        (["arena", "uniform", "uniform", "--batch", "0"], "'0' is not a whole number"),
        (["arena", "uniform", "uniform", "--rules", "x"], "'x' is unknown; valid are standard"),
        (["arena", "uniform", "uniform", "--json", "no/such/folder/f"], "cannot be written"),
        (["ladder", "heuristic"], "heuristic is alone"),
        (["ladder", "nobody"], "there is no 'nobody'"),
        (["ladder", "sane", "--anchor", "nobody"], "there is no 'nobody'"),
        (["ladder", "sane", "--keep", "no/such/folder/f"], "cannot be written"),
        (["ladder", "sane", "--plot", "a.xyz"], "its suffix may be"),
        (["frobnicate"], "frobnicate"),
        ([], "COMMAND"),
    ],
)
def test_mistakes_are_explained(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("arguments", "usage", "near"),
    [
        ("arena uniform uniform --dael 9", "touti arena", "--deals"),
        ("ladder uniform --plt=a.png", "touti ladder", "--plot"),
        ("solve f --frobnicate", "touti solve", None),
        ("dataset f --thread-s 2", "touti dataset", "--threads"),
        ("play --partnr sane", "touti play", "--partner"),
        ("record uniform -o f --prob-s", "touti record", "--probs"),
        ("replay f -O g", "touti replay", "-o"),
        ("score --last-trik declarers", "touti score", "--last-trick"),
        ("arena uniform sane --deal 5", "touti arena", "--deals"),
        ("sheet f edit 1 --cancel", "touti sheet FILE edit", "--cancelled"),
        ("sheet f --hmtl", "touti sheet", "--html"),
        ("sheet f add --declare-r A --cancelld", "touti sheet FILE add", "--declarer"),
        ("replay f g", "touti replay", None),
    ],
)
def test_an_unknown_argument_is_told_by_its_command(capsys, arguments, usage, near):
    told = refused(capsys, *arguments.split())
    assert told.startswith(f"usage: {usage} [")
    assert "is not understood" in told.splitlines()[-1]
    assert told.endswith(f"; did you mean {near}?\n") == (near is not None)


@pytest.mark.parametrize(
    "command",
    [
        "arena uniform uniform --deals 2 --json f",
        "ladder uniform --anchor sane --deals 2 --json f",
        "record uniform --deals 1 -o f",
        "replay deals.jsonl -o f",
        "solve deals.jsonl --json f",
        "score --html f",
        "score --contract 80 --points 80 --last-trick declarers --json f",
        "sheet sheet.json --json f",
        "sheet sheet.json --csv f",
        "sheet sheet.json --html f",
        "sheet f new A B C D",
    ],
)
def test_nothing_is_written_over_unless_forced(capsys, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert cli.main("record uniform --deals 1 -o deals.jsonl".split()) == 0
    assert cli.main("sheet sheet.json new A B C D".split()) == 0
    capsys.readouterr()
    there = Path("f")
    there.write_text("mine")
    assert cli.main(command.split()) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "touti: f is there already; choose another name, or --force" in output.err
    assert there.read_text() == "mine"
    assert cli.main([*command.split(), "--force"]) == 0
    assert there.read_text() != "mine"


def test_an_agent_of_the_working_directory(tmp_path):
    code = "from touti_env.baselines.uniform import Uniform\n\ndef load():\n    return Uniform()\n"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "policy.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "touti_env", "arena", "mine.policy", "uniform", *FEW],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(touti_env.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "+0.00 ± 0.00" in done.stdout
    assert without_notices(done.stderr) == []


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"touti-env {touti_env.__version__}\n"


def test_progress_is_for_terminals_alone(capsys, monkeypatch):
    assert options.terminal_progress("arena") is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    clock = iter([0.0, 1.0, 1.1, 2.0, 3.0])
    monkeypatch.setattr(options.time, "monotonic", lambda: next(clock))
    show = options.terminal_progress("arena")
    for done in (0.0, 10.0, 50.0, 100.0):
        show(done, 100)
    lines = capsys.readouterr().err.split("\r\x1b[K")
    expected = ["", "arena: 0 of 100 deals, 1 s", "arena: 50 of 100 deals, 2 s, about 2 s left", ""]
    assert lines == expected
