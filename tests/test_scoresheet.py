"""The sheet of a match: rotation, running score, its end, undo, edits, files."""

import csv
import doctest
import io
import json
import random
from dataclasses import replace

import pytest

from touti_env import Game, cli, scoresheet
from touti_env.counting import CONTRACTS, SIDES, ScoreError, conceded, played
from touti_env.scoresheet import Entry, Sheet

NAMES = ("Amina", "Bilal", "Chama", "Driss")
NEW = Sheet(NAMES)
NOBODY = Entry()
MADE = Entry(0, played(100, 90, "declarers"))  # for seats 0 and 2
FAILED = Entry(2, played(120, 65, "defenders"))  # for seats 1 and 3
GIVEN_UP = Entry(1, conceded(90, 20, [20], [40, 20]))


def sheet_of(*entries: Entry) -> Sheet:
    sheet = NEW
    for entry in entries:
        sheet = sheet.add(entry)
    return sheet


def test_the_example_of_the_module():
    assert doctest.testmod(scoresheet).failed == 0


def a_match(seed: int) -> Sheet:
    """A sheet with deals, edits and undos at random, until the match is over."""
    chance, sheet = random.Random(seed), Sheet(NAMES, seed % 4)
    while sheet.winner is None or chance.random() < 0.5:
        if sheet.winner is None:
            sheet = sheet.add(an_entry(chance))
        if chance.random() < 0.3:
            try:
                sheet = sheet.edit(chance.randint(1, len(sheet.entries)), an_entry(chance))
            except ScoreError as error:
                assert "others follow" in str(error)
        if chance.random() < 0.2:
            sheet = sheet.undo()
    return sheet


def an_entry(chance: random.Random) -> Entry:
    if chance.random() < 0.2:
        return NOBODY
    contract = chance.choice(CONTRACTS)
    ghna = chance.choice(
        [g for g in ([], [20], [40]) if sum(g) <= {70: 0, 80: 20}.get(contract, 40)]
    )
    points = chance.choice([0, 2, 50, 65, 110, 120])
    if chance.random() < 0.2:
        return Entry(chance.randrange(4), conceded(contract, min(points, 65), ghna, [20]))
    last = chance.choice(SIDES)
    return Entry(chance.randrange(4), played(contract, points, last, ghna))


def test_dealer_and_opener_go_round_like_those_of_a_match():
    """§2.2, §2.3: over cancelled deals too."""
    game = Game(seed=0, dealer=0)
    sheet = NEW
    for _ in range(6):
        assert sheet.dealer == game.state.dealer
        opener = game.seat
        for _ in range(4):
            game.push("pass")
        sheet = sheet.add(NOBODY)
        assert sheet.rows()[-1].opener == opener
        game.next_deal()
    assert sheet.score == game.score == (0, 0)


def test_the_running_score():
    rows = sheet_of(NOBODY, MADE, FAILED, GIVEN_UP).rows()
    assert [row.score for row in rows] == [(0, 0), (100, 0), (100, 120), (100, 210)]
    assert [row.scored for row in rows] == [None, 0, 1, 1]
    assert [row.dealer for row in rows] == [0, 1, 2, 3]


def test_it_stops_at_600():
    """§2.1."""
    sheet = sheet_of(*[MADE] * 5)
    assert sheet.winner is None
    sheet = sheet.add(MADE)
    assert (sheet.winner, sheet.score) == (0, (600, 0))
    assert sheet.outlook() == "Amina + Chama have won, 600:0."
    with pytest.raises(ScoreError, match=r"the match is over, 600:0 \(§2\.1\)"):
        sheet.add(NOBODY)
    assert sheet.undo().add(FAILED).winner is None


def test_a_past_deal_is_edited():
    sheet = sheet_of(MADE, MADE, FAILED).edit(1, FAILED)
    assert [row.score for row in sheet.rows()] == [(0, 120), (100, 120), (100, 240)]
    assert sheet.edit(2, NOBODY).score == (0, 240)
    for number in (0, 4):
        with pytest.raises(ScoreError, match=f"there is no deal {number}; the sheet has 3"):
            sheet.edit(number, MADE)


def test_an_edit_that_ends_the_match_too_early_is_refused():
    sheet = sheet_of(*[Entry(0, played(230, 120, "declarers", [40, 20, 20, 20]))] * 2, MADE, MADE)
    with pytest.raises(ScoreError, match="deal 3 would end the match at 690:0, and others follow"):
        sheet.edit(3, sheet.entries[0])
    assert sheet.edit(4, sheet.entries[0]).winner == 0


def test_undo_takes_back_one_change_after_the_other():
    steps = [NEW]
    for change in (
        lambda s: s.add(MADE),
        lambda s: s.add(FAILED),
        lambda s: s.edit(1, GIVEN_UP),
        lambda s: s.add(NOBODY),
        lambda s: s.edit(3, MADE),
        lambda s: s.edit(3, FAILED),
    ):
        steps.append(change(steps[-1]))
    sheet = steps[-1]
    for before in reversed(steps[:-1]):
        sheet = sheet.undo()
        assert sheet == before
    with pytest.raises(ScoreError, match="nothing to undo"):
        sheet.undo()


@pytest.mark.parametrize("seed", range(20))
def test_it_is_read_as_it_was_written(tmp_path, seed):
    sheet = a_match(seed)
    assert scoresheet.loads(sheet.json()) == sheet
    scoresheet.dump(sheet, tmp_path / "sheet.json")
    assert scoresheet.load(tmp_path / "sheet.json") == sheet
    assert scoresheet.loads(sheet.undo().json()) == sheet.undo()


def test_csv():
    rows = list(csv.DictReader(io.StringIO(sheet_of(NOBODY, MADE, FAILED, GIVEN_UP).csv())))
    assert [row["dealer"] for row in rows] == list(NAMES)
    assert [row["opener"] for row in rows] == ["Bilal", "Chama", "Driss", "Amina"]
    assert [row["contract"] for row in rows] == ["", "100", "120", "90"]
    assert rows[2]["verdict"] == "failed"
    assert (rows[3]["ghna"], rows[3]["pairs credited"], rows[3]["total"]) == ("20", "20", "150")
    assert (rows[3]["Amina + Chama"], rows[3]["Bilal + Driss"]) == ("100", "210")


def test_csv_of_difficult_names():
    sheet = Sheet(('A "B"', "C, D", "أمينة", "=E"), entries=(NOBODY, MADE))
    rows = list(csv.DictReader(io.StringIO(sheet.csv())))
    assert [row["dealer"] for row in rows] == ['A "B"', "C, D"]
    assert rows[1]['A "B" + أمينة'] == "100"
    assert scoresheet.loads(sheet.json()) == sheet


def test_the_text_has_80_columns():
    names = ("Abdelrahmane the Elder", "Bouchra from next door", "Chama", "D")
    sheet = Sheet(names).add(NOBODY).add(MADE).add(FAILED)
    lines = sheet.text().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == "1 Abdelrahm… nobody bid 0 0".split()
    assert lines[2].split() == "2 Bouchra f… Abdelrahm… 100 100 made 100 0".split()


@pytest.mark.parametrize(
    ("names", "dealer", "message"),
    [
        (("A", "B", "C", "A"), 0, "four different"),
        (("A", "B", "C", "a"), 0, "four different"),
        (("A", "B", "C"), 0, "four different"),
        (("A", "B", "C", " "), 0, "is no name"),
        (("A", "B", "C", "D\n"), 0, "is no name"),
        (("A", "B", "C", "D"), 4, "dealer 4 is no seat"),
        (("A", "B", "C", "D"), 0.0, "dealer 0.0 is no seat"),
    ],
)
def test_names_and_dealers(names, dealer, message):
    with pytest.raises(ScoreError, match=message):
        Sheet(names, dealer)


def test_players_are_called_by_name_or_seat():
    assert [NEW.seat(who) for who in ("Bilal", "bilal", "1")] == [1, 1, 1]
    with pytest.raises(ScoreError, match="'Nadia' does not play; Amina, Bilal, Chama, Driss do"):
        NEW.seat("Nadia")


CONTENT = sheet_of(MADE, FAILED).edit(1, GIVEN_UP).asdict()


def changed(place: str, value) -> str:
    """The sheet with the value at `deals.0.result.total`, say, replaced."""
    content = json.loads(json.dumps(CONTENT))
    *way, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    inner = content
    for key in way:
        inner = inner[key]
    inner[last] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a score sheet"),
        ('{"format": "touti-deal"}', "not a score sheet"),
        (changed("version", 2), "version 2: 1 can be read"),
        (changed("names", ["A"]), "four different"),
        (changed("names", 7), "of the wrong kind"),
        (changed("names.0", 7), "of the wrong kind"),
        (changed("first_dealer", 9), "dealer 9"),
        (changed("first_dealer", 1), "deal 1: dealer is 0, counted 1"),
        (changed("deals", None), "of the wrong kind"),
        (changed("deals.0", {}), "a field is missing"),
        (changed("deals.1.declarer", 4), "declarer 4 is no seat"),
        (changed("deals.1.declarer", None), "declarer None is no seat"),
        (changed("deals.1.result.points", 119), "deal 2: card points of 119"),
        (changed("deals.1.result.points", "65"), "deal 2: card points of 65"),
        (changed("deals.1.result.total", 66), "deal 2: result is .*66.*, counted .*65"),
        (changed("deals.1.scored", 0), "deal 2: scored is 0, counted 1"),
        (changed("deals.1.score", [0, 1]), "deal 2: score is"),
        (changed("deals.1.note", "x"), "deal 2: fields"),
        (changed("score", [5, 5]), "score: what is counted is another"),
        (changed("winner", 1), "winner"),
        (changed("note", 1), "fields"),
        (changed("changes.0.deal", 1), "changes: deal"),
        (changed("changes.0.deal", "x"), "changes: deal"),
        (changed("changes.2.before.result.total", 0), "changes"),
        (changed("changes", None), "of the wrong kind"),
    ],
)
def test_what_does_not_hold_is_refused(tmp_path, text, message):
    path = tmp_path / "sheet.json"
    path.write_text(text)
    with pytest.raises(ScoreError, match=f"sheet.json: .*{message}"):
        scoresheet.load(path)


def test_a_failed_write_leaves_the_old_sheet(tmp_path, monkeypatch):
    path = tmp_path / "sheet.json"
    scoresheet.dump(NEW, path)
    monkeypatch.setattr(Sheet, "json", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        scoresheet.dump(replace(NEW, first_dealer=1), path)
    assert [file.name for file in tmp_path.iterdir()] == ["sheet.json"]
    assert json.loads(path.read_text())["first_dealer"] == 0


# The command.


@pytest.fixture
def touti(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(command: str, status: int = 0) -> str:
        assert cli.main(command.split()) == status
        output = capsys.readouterr()
        return output.err if status else output.out

    return run


ADD = "sheet s.json add --declarer"


def test_an_evening(touti):
    touti("sheet s.json new Amina Bilal Chama Driss --dealer Driss")
    touti(f"{ADD} amina --contract 100 --points 90 --last-trick declarers")
    touti("sheet s.json add --cancelled")
    touti(f"{ADD} 3 --contract 120 --defenders-points 50 --last-trick defenders")
    text = touti(f"{ADD} Bilal --contract 90 --conceded --defenders-points 20 --pairs 40 20")
    assert text.splitlines()[-1] == "Driss deals next, Amina speaks first and leads."
    assert [line.split()[-2:] for line in text.splitlines()[1:5]] == [
        ["100", "0"],
        ["100", "0"],
        ["220", "0"],
        ["220", "90"],
    ]
    assert touti("sheet s.json") == text
    assert "100              0" in touti("sheet s.json edit 3 --cancelled")
    assert touti("sheet s.json undo") == text
    assert json.loads(touti("sheet s.json --json"))["score"] == [220, 90]
    assert touti("sheet s.json --csv").count("\n") == 5
    assert touti("sheet s.json --csv out.csv") == ""
    assert scoresheet.load("s.json").csv() == open("out.csv").read()
    assert touti("sheet s.json new A B C D --force").startswith("deal  dealer")
    with pytest.raises(ScoreError, match=r"none.json cannot be read: No such file"):
        scoresheet.load("none.json")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("sheet t.json", "there is no t.json; `touti sheet t.json new"),
        ("sheet t.json undo", "there is no t.json"),
        ("sheet s.json new A B C D", "s.json is there already"),
        ("sheet s.json --csv s.json", "s.json is there already"),
        ("sheet t.json new A B C C", "four different"),
        ("sheet t.json new A B C D --dealer E", "'E' does not play"),
        ("sheet s.json undo", "nothing to undo"),
        ("sheet s.json edit 1 --cancelled", "there is no deal 1"),
        ("sheet s.json add", "--declarer is needed"),
        ("sheet s.json add --cancelled --contract 90", "nobody bid"),
        ("sheet s.json add --declarer Zoe", "'Zoe' does not play"),
        (f"{ADD} Amina", "--contract is needed"),
        (f"{ADD} Amina --contract 90 --points 1 --last-trick defenders", "cannot occur"),
    ],
)
def test_mistakes_are_explained(touti, command, message):
    touti("sheet s.json new Amina Bilal Chama Driss")
    before = open("s.json").read()
    assert message in touti(command, status=2)
    assert open("s.json").read() == before


def test_a_sheet_where_none_can_be_written(touti):
    assert "No such file" in touti("sheet no/such/s.json new A B C D", status=1)
