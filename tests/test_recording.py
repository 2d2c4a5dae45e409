"""`touti record` and `touti replay`: what agents did, kept, read back and verified."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import touti_env
from tests.test_cli import refused, without_notices
from touti_env import Game, IllegalAction, agent, cli, notation, recording, records
from touti_env.records import RecordError

UNIFORM = agent.load("uniform")
HEURISTIC = agent.load("heuristic")
FOUR = [UNIFORM, HEURISTIC, UNIFORM, HEURISTIC]
DEALS = list(recording.deals(FOUR, 4, seed=5, rules="full", probs=True))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "deals.jsonl"
    records.dump(DEALS, path)
    return path


def test_a_deal_is_the_first_of_its_seed():
    for number, deal in enumerate(DEALS):
        assert deal.hands == Game("full", seed=5 + number).record().hands
        assert deal.agents == ("uniform", "heuristic", "uniform", "heuristic")


def test_the_same_again():
    assert list(recording.deals(FOUR, 4, seed=5, rules="full", probs=True)) == DEALS


def test_probabilities_are_of_legal_actions_and_sum_to_one():
    for deal in DEALS:
        for state, action, probs in zip(deal.states(), deal.actions, deal.probs, strict=False):
            if state.seat % 2:
                assert probs is None  # the heuristic has none
                continue
            assert sorted(probs) == notation.legal_actions(state)
            assert probs[action] > 0
            assert sum(probs.values()) == pytest.approx(1, abs=1e-4)


def test_probabilities_are_read_as_they_were_written(file):
    assert list(records.load(file)) == DEALS


def test_matches_go_to_the_target():
    deals = list(recording.matches([HEURISTIC] * 4, 2, seed=3))
    ends = [deal for deal in deals if max(deal.end().score) >= 600]
    assert [deal.seed for deal in ends] == [3, 4]
    game = Game.resume(deal for deal in deals if deal.seed == 3)
    assert game.match_over


def test_an_agent_that_breaks_the_rules_is_named():
    class Stubborn:
        name = "stubborn"

        def act(self, view, rng=None):
            return 0

    with pytest.raises(IllegalAction, match=r"agent 'stubborn': seat . may not take action 0"):
        list(recording.deals([Stubborn()] * 4, 1))


@pytest.mark.parametrize(
    ("table", "message"),
    [(np.ones(72) / 72, "probs of illegal actions"), (np.ones(3), r"shape \(3,\)")],
)
def test_probabilities_that_cannot_be(table, message):
    class Wrong:
        name = "wrong"

        def probs(self, view):
            return table

    with pytest.raises(ValueError, match=f"agent 'wrong': .*{message}"):
        list(recording.deals([Wrong()] * 4, 1, probs=True))


LINE = json.loads(records.dumps(DEALS[0]))
FIRST = next(place for place, probs in enumerate(LINE["probs"]) if probs)
WORD = LINE["actions"][FIRST]


def probs_with(entry) -> str:
    probs = [*LINE["probs"]]
    probs[FIRST] = entry
    return json.dumps({**LINE, "probs": probs})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (json.dumps({**LINE, "probs": []}), "one for each action, is needed"),
        (json.dumps({**LINE, "probs": 1}), "one for each action, is needed"),
        (probs_with({WORD: 0.5}), f"action {FIRST + 1}: probs .* they sum to 0.5"),
        (probs_with({WORD: 1.5}), "numbers of 0 to 1"),
        (probs_with({WORD: float("nan")}), "numbers of 0 to 1"),
        (probs_with({WORD: "1"}), "numbers of 0 to 1"),
        (probs_with({"trump O": 1}), "an action is not legal"),
        (probs_with({"tea": 1}), "no word"),
        (probs_with([1]), f"action {FIRST + 1}: probs"),
        (json.dumps({**LINE, "agents": ["a"]}), "4 names are needed"),
        (json.dumps({**LINE, "agents": [1, 2, 3, 4]}), "a list of strings"),
        (json.dumps({**LINE, "agents": 7}), "a list of strings"),
    ],
)
def test_what_does_not_hold_is_refused(line, message):
    with pytest.raises(RecordError, match=message):
        records.loads(line)


def test_what_is_whole_is_read_round_what_is_not(file):
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[0] + "tea\n" + lines[2] + lines[3][:2000])
    found = list(records.scan(file))
    assert [found[0], found[2]] == [DEALS[0], DEALS[2]]
    assert (found[1].line, found[3].line) == (2, 4)
    assert "line 2: not a line of JSON" in str(found[1])
    assert str(found[3]).endswith("the file ends within the line")


def test_a_writer_keeps_whole_lines_whatever_happens(tmp_path):
    path = tmp_path / "deals.jsonl"
    with pytest.raises(KeyboardInterrupt), records.Writer(path) as writer:
        writer.write(DEALS[0])
        with pytest.raises(IllegalAction):
            writer.write(replace(DEALS[1], actions=(0,), probs=None))
        raise KeyboardInterrupt
    assert list(records.load(path)) == DEALS[:1]
    assert [file.name for file in tmp_path.iterdir()] == ["deals.jsonl"]
    with pytest.raises(FileExistsError, match="there already"):
        records.Writer(path)


def test_a_writer_of_nothing_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), records.Writer(tmp_path / "deals.jsonl"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


# Resuming a match.


def a_match() -> list:
    return [d for d in recording.matches([HEURISTIC] * 4, 1, seed=9)]


def test_a_match_goes_on_as_it_would_have():
    deals = a_match()
    game = Game.resume(deals[:2])
    game.next_deal()
    assert game.record().hands == deals[2].hands
    assert [deal.actions for deal in game.records()] == [d.actions for d in deals[:2]] + [()]
    while True:
        try:
            game.pop()
        except IndexError:
            break
    assert game.record().hands == deals[0].hands


def test_a_deal_under_way_is_resumed():
    deal = a_match()[0]
    game = Game.resume([replace(deal, actions=deal.actions[:9])])
    for action in deal.actions[9:]:
        game.push(action)
    assert game.score == tuple(deal.end().score)


def test_a_match_from_its_middle():
    """Whose deals to come are drawn anew: the first deals of the seed would come again."""
    deals = a_match()
    game = Game.resume(deals[1:3])
    assert [deal.hands for deal in game.records()] == [deal.hands for deal in deals[1:3]]
    assert game.seed != 9


def test_what_is_no_match_is_refused():
    deals = a_match()
    with pytest.raises(ValueError, match="no deal to resume"):
        Game.resume([])
    with pytest.raises(ValueError, match=r"deal 2 does not follow.*dealer or score"):
        Game.resume([deals[0], deals[0]])
    with pytest.raises(ValueError, match=r"deal 2 does not follow.*not over"):
        Game.resume([replace(deals[0], actions=()), deals[1]])
    with pytest.raises(ValueError, match=rf"deal {len(deals) + 1} does not follow.*match is over"):
        Game.resume([*deals, deals[0]])


# The commands.


def test_record_and_verify(tmp_path, capsys):
    path = str(tmp_path / "deals.jsonl")
    command = ["record", "uniform", "heuristic", "-o", path, "--deals", "3", "--rules", "plain"]
    assert cli.main(command) == 0
    assert capsys.readouterr().out == f"3 deals in {path}\n"
    assert [deal.agents[:2] for deal in records.load(path)] == [("uniform", "heuristic")] * 3
    assert cli.main(["replay", path, "--verify"]) == 0
    assert capsys.readouterr().out == f"{path}: 3 of 3 deals hold\n"
    assert cli.main(["replay", path]) == 0
    assert capsys.readouterr().out.count("\ntotal ") == 3
    before = Path(path).read_bytes()
    assert cli.main([*command, "--seed", "4"]) == 2
    assert "there already" in capsys.readouterr().err
    assert Path(path).read_bytes() == before
    assert cli.main([*command, "--seed", "4", "--force"]) == 0
    assert Path(path).read_bytes() != before


def test_records_on_stdout(capsys):
    arguments = ["record", "heuristic", "uniform", "-o", "-", "--matches", "1", "--probs"]
    assert cli.main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    deals = [records.loads(line) for line in lines]
    assert max(deals[-1].end().score) >= 600
    assert all(deal.probs is not None for deal in deals)


def test_the_first_line_that_does_not_hold_is_named(file, capsys):
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[1]["actions"][2], lines[1]["probs"] = "trump O", None
    lines[3]["result"]["total"] += 1
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert cli.main(["replay", str(file), "--verify"]) == 1
    output = capsys.readouterr()
    assert output.out == f"{file}: 2 of 4 deals hold\n"
    [first, more] = without_notices(output.err)
    assert first.startswith(f"touti: {file}, line 2: action 3, 'trump O': seat ")
    assert more == "it is the first of 2 lines that do not hold"
    assert cli.main(["replay", str(file)]) == 1
    assert capsys.readouterr().out.count("Touti, score") == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "line 1: not a line of JSON"),
        (b'{"format": "touti-deal", "rules_version": 0}\n', "rules_version is 0; 1 can be read"),
        (b'{"format": "bridge"}\n', "line 1: not a deal record"),
    ],
)
def test_foreign_files(tmp_path, capsys, content, message):
    path = tmp_path / "x"
    path.write_bytes(content)
    assert cli.main(["replay", str(path), "--verify"]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", [["replay", "--verify"], ["replay"], ["solve"]])
def test_a_file_that_holds_no_record_at_all(tmp_path, capsys, command):
    path = tmp_path / "points.csv"
    path.write_text("a,b\n" * 516)
    assert cli.main([*command, str(path)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    [first, more] = without_notices(output.err)
    assert first.startswith(f"touti: {path}, line 1: not a line of JSON: ")
    assert more == "no line of the file is the record of a deal"


def test_one_deal_is_no_deals(tmp_path, capsys):
    path = str(tmp_path / "deals.jsonl")
    assert cli.main(["record", "uniform", "-o", path, "--deals", "1"]) == 0
    assert cli.main(["replay", path, "--verify"]) == 0
    assert capsys.readouterr().out == f"1 deal in {path}\n{path}: 1 of 1 deals hold\n"


def test_mistakes_are_explained(tmp_path, capsys):
    there = str(tmp_path / "d.jsonl")
    assert cli.main(["replay", there]) == 1
    assert "cannot be read: No such file" in capsys.readouterr().err
    assert cli.main(["record", "heuristic", "-o", there, "--probs"]) == 2
    assert "no agent of heuristic tells its probabilities" in capsys.readouterr().err
    assert cli.main(["record", *["uniform"] * 3, "-o", there]) == 2
    assert "3 agents were named" in capsys.readouterr().err
    assert "--output" in refused(capsys, "record", "uniform")
    assert "cannot be written" in refused(capsys, "record", "uniform", "-o", "no/such/f")
    assert not Path(there).exists()


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_keeps_whole_lines(tmp_path, kill):
    command = ["record", "uniform", "-o", "d.jsonl", "--deals", "1000000"]
    run = subprocess.Popen(
        [sys.executable, "-m", "touti_env", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(touti_env.__file__).parent.parent)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # A shell's background jobs ignore Ctrl-C, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    for _ in range(3000):
        if any(file.stat().st_size > 20_000 for file in tmp_path.iterdir()):
            break
        time.sleep(0.05)
    run.send_signal(kill)
    try:
        _, errors = run.communicate(timeout=60)
    finally:
        run.kill()
    [file] = tmp_path.iterdir()
    kept = len(list(records.load(file)))
    assert kept > 3
    if kill == signal.SIGINT:
        assert (file.name, run.returncode) == ("d.jsonl", 130)
        assert f"{kept} deals in d.jsonl" in errors
    else:
        assert file.name.startswith("d.jsonl.")
        assert file.name.endswith(".part")
