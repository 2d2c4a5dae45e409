"""The page that counts deals and keeps the sheet says what the commands say."""

import json
import random
import re
import shutil
import subprocess
from importlib import resources

import pytest

from tests.browser import opened
from tests.test_scoresheet import NAMES, a_match
from touti_env import cli, scoresheet
from touti_env.core.cards import DECK_POINTS
from touti_env.counting import CONTRACTS, Result, conceded, played
from touti_env.scoresheet import Entry, Sheet
from touti_env.web import score

INPUTS = 500


def an_input(chance: random.Random) -> dict:
    """What somebody may put into the form; one in some cannot have happened."""
    ghna = [chance.choice([20, 40]) for _ in range(chance.choice([0, 0, 1, 1, 2, 3]))]
    given_up = chance.random() < 0.3
    pairs = [40] * chance.randint(0, 1) + [20] * chance.randint(0, 3) if given_up else []
    return {
        "contract": chance.choice([*CONTRACTS, 70, 80, 80, 90, 90, 90]),
        "points": chance.choice([*range(121), 0, 1, 119, 120, 121, -1]),
        "whose": "declarers" if chance.random() < 0.5 else "defenders",
        "last": chance.choice(["declarers", "defenders"]),
        "ghna": ghna,
        "conceded": given_up,
        "pairs": pairs,
    }


def by_command(capsys, given: dict) -> dict:
    """What `touti score --json` says to an input of the page, or `{"error": its words}`."""
    side = "--points" if given["whose"] == "declarers" else "--defenders-points"
    options = ["--contract", str(given["contract"])]
    if given["conceded"]:
        options += ["--conceded", f"--defenders-points={given['points']}"]
    else:
        options += [f"{side}={given['points']}", "--last-trick", given["last"]]
    for name in ("ghna", "pairs"):
        if given[name]:
            options += [f"--{name}", *map(str, given[name])]
    status = cli.main(["score", *options, "--json"])
    output = capsys.readouterr()
    return {"error": output.err.strip()[len("touti: ") :]} if status else json.loads(output.out)


def inputs_and_answers(capsys) -> list[tuple[dict, dict]]:
    chance = random.Random(10)
    inputs = [an_input(chance) for _ in range(INPUTS)]
    answers = [by_command(capsys, given) for given in inputs]
    refused = sum("error" in answer for answer in answers)
    assert 50 < refused < INPUTS - 200
    return list(zip(inputs, answers, strict=True))


FILL = """
(given) => {
  byId("deal").reset();
  ghna = [];
  document.querySelector(`input[name="contract"][value="${given.contract}"]`).click();
  document.querySelector(`input[name="whose"][value="${given.whose}"]`).click();
  if (given.conceded) byId("conceded").click();
  else document.querySelector(`input[name="last"][value="${given.last}"]`).click();
  if (given.pairs.includes(40)) byId("pair-trump").click();
  byId("pair-plain").value = given.pairs.filter((worth) => worth === 20).length;
  byId("points").value = given.points;
  byId("points").dispatchEvent(new Event("input", {bubbles: true}));
  for (const worth of given.ghna) {
    const button = byId(worth === 40 ? "ghna-trump" : "ghna-plain");
    if (button.disabled) return {refused: byId("ghna-why").textContent};
    button.click();
  }
  return {
    counted: count(dealOf()),
    text: byId("result").innerText,
    lines: [...document.querySelectorAll("#result tr")]
      .map((row) => [...row.cells].map((cell) => cell.textContent)),
  };
}
"""


def test_the_page_equals_the_command_in_chromium(capsys, tmp_path):
    """500 inputs, through the form: the numbers, the words, and the reasons for a refusal."""
    path = tmp_path / "score.html"
    path.write_text(score.page())
    with opened(path) as page:
        for given, answer in inputs_and_answers(capsys):
            shown = page.evaluate(FILL, given)
            if "refused" in shown:
                reason = answer["error"].lower()  # the first one, if the points are wrong too
                assert reason in shown["refused"].lower() or "card points" in reason, given
            elif "error" in answer:
                assert shown["counted"] == answer, given
                assert shown["text"].lower().strip() == answer["error"].lower()
            else:
                assert shown["counted"] == answer, given
                result = result_of(answer)
                assert shown["lines"] == [[str(n), what] for n, what in result.lines()]
                assert shown["text"].lower().startswith(result.text().splitlines()[0].lower())
                assert shown["text"].strip().endswith(result.text().splitlines()[-1])


def result_of(answer: dict) -> Result:
    if answer["conceded"]:
        theirs = DECK_POINTS - answer["points"]
        return conceded(answer["contract"], theirs, answer["ghna"], answer["pairs"])
    return played(answer["contract"], answer["points"], answer["last_trick"], answer["ghna"])


def test_the_script_equals_the_command_in_node(capsys, tmp_path):
    """The same 500 inputs, where there is no browser; sheets too."""
    pairs = inputs_and_answers(capsys)
    sheets = [a_match(seed) for seed in range(20)]
    said = in_node(
        tmp_path,
        "count: GIVEN.inputs.map(count),"
        "sheets: GIVEN.sheets.map((text) => fromJSON(text))"
        ".map((sheet) => [toJSON(sheet), toCSV(sheet), outlook(sheet)]),",
        {"inputs": [given for given, _ in pairs], "sheets": [sheet.json() for sheet in sheets]},
    )
    assert said["count"] == [answer for _, answer in pairs]
    assert said["sheets"] == [[sheet.json(), sheet.csv(), sheet.outlook()] for sheet in sheets]


def in_node(tmp_path, what: str, given: dict) -> dict:
    """What the page's script computes, run by node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("the page's script needs node: apt-get install nodejs")
    script = resources.files("touti_env.web").joinpath("score.js").read_text()
    path = tmp_path / "run.js"
    path.write_text(
        f"{script}\nglobalThis.TABLE = {json.dumps(score.table())};\n"
        f"const GIVEN = {json.dumps(given)};\nconsole.log(JSON.stringify({{{what}}}));\n"
    )
    done = subprocess.run([node, path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


STEPS = """
() => {
  let sheet = fromJSON(GIVEN.sheet);
  const changes = {
    add: (_, entry) => addEntry(sheet, entry),
    edit: (at, entry) => editEntry(sheet, at, entry),
    undo: () => undoChange(sheet),
  };
  return GIVEN.steps.map(([change, at, entry]) => toJSON(sheet = changes[change](at, entry)));
}
"""


def test_changes_of_a_sheet_in_node(tmp_path):
    """Every add, edit and undo of the page makes the sheet that the command makes."""
    chance = random.Random(4)
    for seed in range(10):
        sheet, wanted, steps = Sheet(NAMES), [], []
        for entry in a_match(seed).entries:
            steps.append(["add", 0, entry.asdict()])
            sheet = sheet.add(entry)
            wanted.append(sheet.json())
            if chance.random() < 0.5:
                place = chance.randrange(len(sheet.entries))
                steps.append(["edit", place, Entry().asdict()])
                sheet = sheet.edit(place + 1, Entry())
                wanted.append(sheet.json())
            if chance.random() < 0.3:
                steps.append(["undo", 0, None])
                sheet = sheet.undo()
                wanted.append(sheet.json())
        said = in_node(
            tmp_path,
            f"texts: ({STEPS})(), over: addEntry(fromJSON(GIVEN.over), NOBODY_BID).error,",
            {"sheet": Sheet(NAMES).json(), "steps": steps, "over": OVER.json()},
        )
        assert said["texts"] == wanted
        assert said["over"] == "the match is over, 600:0 (§2.1)"


OVER = Sheet(NAMES, entries=(Entry(0, played(100, 90, "declarers")),) * 6)


def test_an_evening_in_chromium(tmp_path):
    """Names, two deals, an edit, an undo, a reload, the files: by hand, as it were."""
    path = tmp_path / "score.html"
    path.write_text(score.page())
    with opened(path, viewport={"width": 400, "height": 800}) as page:
        for seat, name in enumerate(NAMES):
            page.locator("#names input").nth(seat).fill(name)
        page.get_by_label("Deals first").select_option("3")
        page.get_by_role("button", name="Begin a sheet").click()
        page.get_by_role("button", name="Nobody bid").click()
        page.get_by_label("100", exact=True).check()
        page.get_by_label("Card points, 0 to 120").fill("65")
        page.get_by_label("the defenders", exact=True).check()
        page.get_by_role("button", name="+ 40 trumps").click()
        page.get_by_label("Declarer").select_option("Chama")
        page.get_by_role("button", name="Write it on the sheet").click()
        sheet = Sheet(NAMES, 3).add(Entry()).add(Entry(2, played(100, 65, "defenders", [40])))
        assert page.locator("#outlook").inner_text() == sheet.outlook()
        page.get_by_role("button", name="Edit deal 1").click()
        page.get_by_label("90", exact=True).check()
        page.get_by_label("The defenders conceded").check()
        page.get_by_label("Card points, 0 to 120").fill("20")
        page.get_by_label("in trumps").check()
        page.get_by_label("Declarer").select_option("Bilal")
        page.get_by_role("button", name="Change deal 1").click()
        sheet = sheet.edit(1, Entry(1, conceded(90, 20, [], [40])))
        assert page.evaluate("toJSON(sheet)") == sheet.json()
        page.reload()
        assert page.evaluate("toJSON(sheet)") == sheet.json()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as CSV").click()
        assert open(download.value.path()).read() == sheet.csv()
        page.get_by_role("button", name="Undo").click()
        assert page.evaluate("toJSON(sheet)") == sheet.undo().json()
        wrong, right = tmp_path / "wrong.json", tmp_path / "right.json"
        wrong.write_text(OVER.json().replace('"total": 100', '"total": 101'))
        right.write_text(OVER.json())
        page.locator("#open").set_input_files(wrong)
        page.get_by_text("wrong.json is no sheet that holds").wait_for()
        page.locator("#open").set_input_files(right)
        page.get_by_text("Amina + Chama have won, 600:0.").wait_for()
        assert not page.get_by_role("button", name="Nobody bid").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_of_a_sheet_opens_with_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sheet = Sheet(("</script>", "<b>", "<!-- js -->", 'D"')).add(Entry())
    for entry in OVER.entries:
        sheet = sheet.add(entry)
    scoresheet.dump(sheet, "s.json")
    assert cli.main("sheet s.json --html page.html".split()) == 0
    assert "open page.html in a browser" in capsys.readouterr().out
    with opened(tmp_path / "page.html") as page:
        assert page.evaluate("toJSON(sheet)") == sheet.json()
        assert page.locator("#outlook").inner_text() == "</script> + <!-- js --> have won, 600:0."
        page.get_by_role("button", name="Undo").click()
        page.reload()
        assert page.evaluate("toJSON(sheet)") == sheet.undo().json()
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Another match").click()
        page.reload()
        assert page.get_by_role("button", name="Begin a sheet").is_visible()


def test_the_page_needs_no_network_and_is_small(tmp_path, capsys):
    path = tmp_path / "score.html"
    assert cli.main(["score", "--html", str(path)]) == 0
    text = path.read_text()
    assert len(text.encode()) < 150_000
    assert not re.search(r"https?:|//\w|<link|<img|@import|url\(", text)
    assert "<!-- " not in text


def test_every_control_has_a_name_that_is_read_out(tmp_path):
    path = tmp_path / "score.html"
    path.write_text(score.page(OVER))
    unnamed = """
    [...document.querySelectorAll("input, select, button")]
      .filter((it) => !it.labels?.length && !it.ariaLabel && !it.textContent.trim())
      .map((it) => it.outerHTML)
    """
    with opened(path) as page:
        assert page.evaluate(unnamed) == []
        assert page.evaluate("document.documentElement.lang") == "en"
