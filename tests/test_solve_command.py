"""`touti solve`: par, values of trumps and leads, and the mistakes of recorded deals."""

import dataclasses
import json
import re

import numpy as np
import pytest

from touti_env import Game, agent, analysis, cli, notation, records, solver
from touti_env.core.state import GHNA, PLAY

SUITS = [" ".join(f"{rank}{suit}" for rank in (1, 3, 12, 11, 10, 7, 6, 5, 4, 2)) for suit in "OCEB"]


def played(seed, name="sane", rules="standard"):
    """The record of a deal played out by one agent, with a declarer."""
    player, rng = agent.load(name), np.random.default_rng(seed)
    game = Game(rules, seed=seed)
    while not game.deal_over or game.state.declarer < 0:
        if game.deal_over:
            game.next_deal()
        game.push(player.act(game.view(game.seat), rng))
    return game.record()


@pytest.fixture(scope="module")
def record():
    return played(5)


@pytest.fixture
def file(record, tmp_path):
    path = tmp_path / "deals.jsonl"
    records.dump([record, dataclasses.replace(record, actions=record.actions[:-16])], path)
    return path


def out(capsys, *arguments):
    assert cli.main(["solve", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        cli.main(list(map(str, arguments)))
    assert stop.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    return output.err


@pytest.mark.parametrize(("seed", "rules"), [(5, "standard"), (8, "full")])
def test_mistakes_are_those_of_the_values(seed, rules):
    deal = played(seed, rules=rules)
    review = analysis.review(deal)
    mistakes = {mistake.number: mistake for mistake in review.mistakes}
    assert mistakes
    for number, (state, action) in enumerate(zip(deal.states(), deal.actions, strict=False), 1):
        if state.phase not in (PLAY, GHNA):
            continue
        totals = solver.values(state)
        declaring = (state.seat ^ state.declarer) & 1 == 0
        best = max(totals.values()) if declaring else min(totals.values())
        if totals[action] == best:
            assert number not in mistakes
            continue
        mistake = mistakes.pop(number)
        assert (mistake.before, mistake.after) == (best, totals[action])
        assert mistake.cost == abs(best - totals[action]) > 0
        assert mistake.seat == state.seat
        assert mistake.word == notation.name(action, state.phase)
        words = {notation.name(a, state.phase) for a, total in totals.items() if total == best}
        assert set(mistake.best) == words
        assert mistake.decisive == ((best >= state.contract) != (mistake.after >= state.contract))
    assert all(mistake.trick == 0 for mistake in mistakes.values())


def test_costs_lead_from_par_to_the_total(record):
    review = analysis.review(record)
    total = review.par
    for mistake in review.mistakes:
        if mistake.trick:
            assert mistake.before == total
            total = mistake.after
    assert total == review.total == record.end().total


def test_best_play_has_no_mistakes(record):
    number = next(n for n, state in enumerate(record.states()) if state.phase == PLAY)
    begun = dataclasses.replace(record, actions=record.actions[:number])
    line = solver.best_line(begun.end())
    review = analysis.review(dataclasses.replace(begun, actions=(*begun.actions, *line)))
    assert not [mistake for mistake in review.mistakes if mistake.trick]
    assert review.total == review.par


def test_naming_trump_can_be_a_mistake():
    state = analysis.deal_state(SUITS, 0, records.as_rules("standard"), 1, 130)
    values = analysis.values(state)
    most = 120 + 10 + 40 + 20  # each declaring seat has a whole suit, and its Ghna
    assert [values.words()[f"trump {suit}"] for suit in "OCEB"] == [0, most, 0, most]


def test_a_file_of_records(capsys, file, record):
    text = out(capsys, file)
    review = analysis.review(record)
    assert text.startswith(f"deal 1: {review.contract} by seat {review.declarer}")
    assert "deal 2: " in text
    for mistake in review.mistakes:
        assert re.search(rf" {mistake.word} +{mistake.cost} ", text)
    assert "seat" in text.splitlines()[-1] or "made" in text or "failed" in text


def test_json(capsys, file, record):
    content = json.loads(out(capsys, file, "--deal", 1, "--json", "-"))
    assert content["deals"] == [{"deal": 1, **analysis.review(record).asdict()}]


def test_the_position_where_a_record_stops(capsys, file, record):
    [deal] = json.loads(out(capsys, file, "--deal", 2, "--json", "-"))["deals"]
    state = dataclasses.replace(record, actions=record.actions[:-16]).end()
    expected = {notation.name(a, state.phase): total for a, total in solver.values(state).items()}
    found = {value["action"]: value["total"] for value in deal["position"]["values"]}
    assert (found, deal["total"]) == (expected, None)
    after = len(record.actions) - 16
    [same] = json.loads(out(capsys, file, "--deal", 1, "--after", after, "--json", "-"))["deals"]
    assert same["position"] == deal["position"]


def test_par_of_four_hands(capsys):
    par = solver.par(SUITS, 2)
    content = json.loads(out(capsys, *SUITS, "--opener", 2, "--json", "-"))
    assert content == {"totals": par.totals.tolist(), "contracts": par.contracts.tolist()}
    text = out(capsys, *SUITS, "--opener", 2)
    assert str(par.contracts[1, 1]) in text and "seat 0 or 2 declares" in text


def test_leads_of_four_hands(capsys):
    options = ["--declarer", 1, "--contract", 90]
    text = out(capsys, *SUITS, *options, "--trump", "c")
    assert "90 by seat 1, copas trump; seat 0 to act, defender" in text
    assert "1O" in text
    assert "trump C" in out(capsys, *SUITS, *options).splitlines()[2]


def test_a_cancelled_deal_has_nothing_to_review():
    game = Game(seed=1)
    for _ in range(4):
        game.push("pass")
    assert "nothing to review" in analysis.review(game.record()).table()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", SUITS[0], SUITS[1]], "4 hands are needed, not 2"),
        (["solve", *SUITS[:3], SUITS[0]], "in two hands"),
        (["solve", *SUITS[:3], SUITS[0][3:]], "seat 3 has"),
        (["solve", *SUITS[:3], "8O"], "'8O' is no card"),
        (["solve", *SUITS, "--trump", "C"], "--declarer and --contract"),
        (
            ["solve", *SUITS, "--opener", "4"],
            "'4' is not a whole number",
        ),
        (["solve", *SUITS, "--deal", "2"], "--deal goes with a file of records"),
        (["solve", "deals.jsonl", "--trump", "C"], "--trump goes with four hands"),
        (["solve", *SUITS, "--declarer", "1", "--contract", "75"], "contract 75 does not"),
        (["solve", *SUITS, "--declarer", "1", "--contract", "x"], "'x' is no number; the tens"),
        (["solve", *SUITS, "--declarer", "x"], "'x' is not a whole number"),
    ],
)
def test_mistakes_in_the_arguments(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


def failed(capsys, *arguments):
    """What was printed, and the last words, of a command that ends with status 1."""
    assert cli.main(["solve", *map(str, arguments)]) == 1
    output = capsys.readouterr()
    return output.out, output.err


def test_a_record_that_does_not_hold_hides_no_other(capsys, file):
    first, second = file.read_text().splitlines(keepends=True)
    file.write_text(first + second[:100] + "\n" + second)
    shown, said = failed(capsys, file)
    assert "deal 1:" in shown and "deal 2:" not in shown and "deal 3:" in shown
    assert f"{file}, line 2: " in said
    shown, said = failed(capsys, file, "--deal", "2")
    assert shown == "" and "line 2" in said


def test_a_file_that_cannot_be_read(capsys, tmp_path):
    assert failed(capsys, tmp_path / "none") == (
        "",
        f"touti: {tmp_path / 'none'} cannot be read: No such file or directory\n",
    )
    (tmp_path / "empty").touch()
    assert failed(capsys, tmp_path / "empty")[1] == f"touti: {tmp_path / 'empty'} is empty\n"


def test_a_deal_that_the_file_does_not_have(capsys, file):
    assert "there is no deal 9" in refused(capsys, "solve", file, "--deal", "9")
