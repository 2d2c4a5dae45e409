"""Records of deals: written, read, replayed, and refused when they do not hold."""

import dataclasses
import json
import random
import re

import pytest

from tests.tables import a_word, content, say, walk
from touti_env import Game, IllegalAction, Rules, records
from touti_env.core.rules import VARIANTS
from touti_env.records import DealRecord, RecordError


def a_deal(rules: str | Rules = "standard", seed: int = 4, plies: int = 1000) -> Game:
    game = Game(rules, seed=seed)
    for number, _ in enumerate(walk(game, random.Random(seed)), 1):
        if number == plies:
            break
    return game


GAME = a_deal()
LINE = records.dumps(GAME.record())


def changed(**changes) -> str:
    return json.dumps({**json.loads(LINE), **changes})


@pytest.mark.parametrize("rules", [*VARIANTS, Rules(target=1000, ghna_caps=(10, 20, 30, 40))])
@pytest.mark.parametrize("seed", range(5))
def test_a_record_is_read_as_it_was_written(rules, seed):
    game = a_deal(rules, seed)
    record = game.record()
    line = records.dumps(record)
    assert "\n" not in line
    assert records.loads(line) == record
    assert records.dumps(records.loads(line)) == line
    end = records.loads(line).end()
    # The random stream is not part of a record.
    end.key, end.drawn, end.deals = game.state.key, game.state.drawn, game.state.deals
    assert content(end) == content(game.state)


def test_what_a_line_holds():
    line = json.loads(LINE)
    assert list(line) == [
        "format",
        "rules_version",
        "rules",
        "seed",
        "score",
        "dealer",
        "hands",
        "actions",
        "result",
    ]
    assert line["rules"] == dataclasses.asdict(Rules()) | {"ghna_caps": [0, 20, 40, 100]}
    assert line["seed"] == 4
    state = GAME.state
    assert line["result"] == {
        "contract": state.contract,
        "declarer": state.declarer,
        "points": state.points.tolist(),
        "ghna": state.ghna_points,
        "total": state.total,
        "scored": state.scored,
        "score": state.score.tolist(),
    }
    assert all(isinstance(word, str) for word in line["actions"])


@pytest.mark.parametrize("plies", [1, 3, 10, 20])
def test_a_deal_under_way(plies):
    record = a_deal(plies=plies).record()
    line = records.dumps(record)
    assert json.loads(line)["result"] is None
    assert records.loads(line) == record


def test_the_second_deal_of_a_match():
    game = a_deal("plain")
    first = game.record()
    score, dealer = game.score, int(game.state.dealer)
    game.next_deal()
    assert game.record().actions == ()
    chance = random.Random(0)
    while not game.deal_over:
        game.push(a_word(game, chance))
    second = game.record()
    assert (second.score, second.dealer) == (score, (dealer + 1) % 4)
    assert second.hands != first.hands
    assert records.loads(records.dumps(second)) == second


def test_states_of_a_record():
    """Before each action and after the last."""
    game = Game(seed=4)
    for state, action in zip(GAME.record().states(), GAME.record().actions, strict=False):
        assert (state.phase, state.seat) == (game.phase, game.seat)
        game.push(action)
    assert game.deal_over


def test_a_record_of_illegal_actions_is_not_written():
    record = dataclasses.replace(GAME.record(), actions=(0, 1, 2))
    with pytest.raises(IllegalAction):
        records.dumps(record)


def tampered(field: str, value) -> str:
    result = json.loads(LINE)["result"]
    assert result[field] != value
    return changed(result={**result, field: value})


def hands_swapped() -> list[str]:
    hands = json.loads(LINE)["hands"]
    return [hands[1], hands[0], *hands[2:]]


CONTENT = json.loads(LINE)
WITHOUT_LAST = CONTENT["actions"][:-1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not a line of JSON"),
        ("touti", "not a line of JSON"),
        (LINE[:-1], "not a line of JSON"),
        ("[" * 100_000, "not a line of JSON"),
        (f'{{"seed": {"9" * 5000}}}', "not a line of JSON"),
        ("[]", "not a deal record"),
        ("7", "not a deal record"),
        ("{}", "not a deal record"),
        (changed(format="bridge"), "not a deal record"),
        (changed(rules_version=2), "rules_version is 2; 1 can be read"),
        (changed(rules_version=None), "rules_version"),
        (tampered("total", 1), "a replay gives"),
        (tampered("scored", 7), "a replay gives"),
        (tampered("score", [1000, 0]), "a replay gives"),
        (tampered("ghna", 17), "a replay gives"),
        (changed(result=None), "a replay gives"),
        (changed(result={}), "a replay gives"),
        (changed(actions=WITHOUT_LAST), "the result is"),
        (changed(actions=["90", *CONTENT["actions"]]), "action \\d"),
        (changed(actions=["+10"]), "action 1, '\\+10'.*only a partner who is out"),
        (
            changed(actions=["tea"]),
            "action 1, 'tea'.*no word.* pass, AS and COMPTE are valid",
        ),
        (changed(actions=[57]), "actions .57.: a list of strings"),
        (changed(actions=[None]), "actions"),
        (changed(actions=7), "actions"),
        (changed(hands=hands_swapped()), "does not hold 1O"),
        (changed(hands=CONTENT["hands"][:3]), "4 hands are needed, not 3"),
        (changed(hands=[*CONTENT["hands"][:3], "1O"]), "has 1 card;"),
        (changed(hands=[[0.5]] * 4), "hands"),
        (changed(hands=None), "hands"),
        (changed(dealer=4), "dealer 4 is no seat"),
        (changed(dealer="0"), "dealer '0' is no seat"),
        (changed(dealer=1.0), "dealer 1.0 is no seat"),
        (changed(score=[0]), "two numbers"),
        (changed(score=[600, 0]), "0 to 599 are valid"),
        (changed(score=[-1, 0]), "0 to 599"),
        (changed(score=[10**9, 0]), "0 to 599"),
        (changed(score=["0", 0]), "two numbers"),
        (changed(score=None), "two numbers"),
        (changed(seed="x"), "seed is 'x'"),
        (changed(seed=-1), "seed is -1"),
        (changed(rules="tute"), "rules"),
        (changed(rules={**CONTENT["rules"], "target": 5}), "target is 5"),
        (changed(rules={**CONTENT["rules"], "joker": 1}), "joker"),
        (changed(rules={"target": 600}), "every field is needed"),
        (changed(rules="standard"), "every field is needed"),
        (changed(rules={**CONTENT["rules"], "signals": False}), "action \\d"),
    ],
)
def test_what_does_not_hold_is_refused(line, message):
    with pytest.raises(RecordError, match=message):
        records.loads(line)


@pytest.mark.parametrize("field", sorted(set(CONTENT) - {"format", "rules_version"}))
def test_a_missing_field_is_named(field):
    line = json.dumps({key: value for key, value in CONTENT.items() if key != field})
    with pytest.raises(RecordError, match=f"a field is missing: '{field}'"):
        records.loads(line)


JUNK = [
    None,
    True,
    -1,
    0.5,
    1e400,
    10**30,
    "",
    "x",
    [],
    {},
    [[]],
    [None] * 4,
    [1e400] * 4,
    ["x"] * 4,
]


@pytest.mark.parametrize("field", sorted(set(CONTENT) - {"rules_version"}))
def test_whatever_stands_in_a_field_the_error_is_ours(field):
    for junk in JUNK:
        line = changed(**{field: junk})
        if field == "seed" and junk is None:
            assert records.loads(line).seed is None
            continue
        with pytest.raises(RecordError):
            records.loads(line)


def test_a_file_of_records(tmp_path):
    path = tmp_path / "deals.jsonl"
    deals = [a_deal(seed=seed).record() for seed in range(5)]
    records.dump(deals, path)
    assert list(records.load(path)) == deals
    assert list(records.load(str(path))) == deals
    assert path.read_text().count("\n") == 5


@pytest.mark.parametrize(
    ("place", "line"), [(0, "x"), (2, changed(dealer=9)), (4, tampered("total", 1))]
)
def test_the_line_that_does_not_hold_is_named(tmp_path, place, line):
    path = tmp_path / "deals.jsonl"
    lines = [LINE] * 5
    lines[place] = line
    path.write_text("\n".join(lines) + "\n")
    read = records.load(path)
    assert [next(read) for _ in range(place)] == [GAME.record()] * place
    with pytest.raises(RecordError, match=f"deals.jsonl, line {place + 1}: "):
        next(read)


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "deals.jsonl"
    path.write_bytes(LINE.encode() + b"\n\xff\xfe\x00\n")
    read = records.load(path)
    next(read)
    with pytest.raises(RecordError, match="line 2"):
        next(read)


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deals.jsonl"
    records.dump([GAME.record()], path)
    before = path.read_text()

    def failing():
        yield GAME.record()
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        records.dump(failing(), path)
    with pytest.raises(IllegalAction):
        records.dump([GAME.record(), dataclasses.replace(GAME.record(), actions=(0,))], path)
    assert path.read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["deals.jsonl"]


def test_hands_stand_for_themselves():
    """A record without a seed, of hands that somebody thought out."""
    record = DealRecord(
        rules=Rules(),
        seed=None,
        dealer=0,
        score=(0, 0),
        hands=GAME.record().hands,
        actions=(),
    )
    assert records.loads(records.dumps(record)) == record
    assert say(Game(hands=record.hands, dealer=0), "70").seat == 2


@pytest.mark.parametrize("read", [records.load, records.scan])
def test_a_file_that_cannot_be_read_is_an_error_at_the_call(tmp_path, read):
    for path, reason in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(RecordError, match=f"{path} cannot be read: {reason}"):
            read(path)


def test_json_that_is_wrong_is_told_with_one_line_number(tmp_path):
    path = tmp_path / "deals.jsonl"
    path.write_text(f"{records.dumps(Game(seed=1).record())}\n{{nonsense}}\n")
    [_, wrong] = records.scan(path)
    assert str(wrong).startswith(f"{path}, line 2: not a line of JSON: ")
    assert str(wrong).endswith(", character 2")
    assert len(re.findall(r"line \d", str(wrong))) == 1
    assert wrong.foreign
