"""The replay page: what is in the file, and what a browser makes of it."""

import io
import json
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.reference import DECK
from tests.tables import a_word
from touti_env import (
    Game,
    Rules,
    agent,
    analysis,
    cli,
    notation,
    recording,
    records,
    resample,
    solver,
)
from touti_env.records import DealRecord
from touti_env.web import replay
from touti_env.web.frames import WORLDS, Choice, cost, costs, frames_of

CARD = re.compile(r"(?<![\w.])c?((?:1[012]?|[2-7])[OCEB])(?!\w)")
UNIFORM = agent.load("uniform")


def random_deal(seed: int, rules: str | Rules = "standard") -> DealRecord:
    game, chance = Game(rules, seed=seed), random.Random(seed)
    while not game.deal_over:
        game.push(a_word(game, chance))
    return game.record()


def played_deal(seed: int, rules: str = "standard") -> DealRecord:
    """A deal that was bid and played with some sense, so that all ten tricks are there."""
    heuristic = agent.load("heuristic")
    [record] = recording.deals([heuristic] * 4, 1, seed, rules)
    return record


def data_of(page: str) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def shown(data: dict, deal: int, ply: int, place: int) -> tuple[str, str]:
    """The picture and the words of a frame, put together as the script does."""
    frame = data["deals"][deal]["frames"][ply]
    parts = [[data["lines"][i] for i in data["parts"][p]] for p in frame["svg"][place]]
    picture = "\n".join("\n".join(part) for part in parts)
    return picture, "\n".join(data["lines"][i] for i in frame["text"][place])


def played_by(words: str) -> set[str]:
    """The cards played, by the lines of the tricks."""
    return {c for line in words.splitlines() if "led:" in line for c in CARD.findall(line)}


def games(record: DealRecord) -> Iterator[Game]:
    """The deal at every ply."""
    game = Game(record.rules, hands=record.hands, dealer=record.dealer, score=record.score)
    yield game
    for action in record.actions:
        game.push(action)
        yield game


@pytest.mark.parametrize("rules", ["standard", "full", "plain"])
def test_frames_are_the_game(rules):
    made = [random_deal(seed, rules) for seed in range(2)]
    data = data_of(replay.page(made))
    for number, record in enumerate(made):
        deal = data["deals"][number]
        assert deal["views"] == [0, 1, 2, 3, 4]
        assert len(deal["frames"]) == len(record.actions) + 1
        for ply, game in enumerate(games(record)):
            picture, words = shown(data, number, ply, 4)
            assert words == str(game)
            assert picture in replay.render.svg(game.state)
            for seat in range(4):
                seen = game.view(seat)
                assert shown(data, number, ply, seat)[1] == replay.render.text(seen)
                assert shown(data, number, ply, seat)[0] in replay.render.svg(seen, below=0)


def test_a_page_needs_nothing_else_and_is_small():
    worst = 0
    for seed in range(3):
        made = random_deal(seed, "full") if seed % 2 else played_deal(seed)
        page = replay.page([made], review=UNIFORM, dd=True)
        assert "http" not in page
        assert not re.search(r"\b(?:src|srcset|action)=|@import|url\(|fetch\(|XMLHttp", page)
        assert set(re.findall(r'<link[^>]*href="([^"]*)', page)) == {"data:,"}
        worst = max(worst, len(page.encode()))
    assert worst <= 300_000


@pytest.mark.parametrize("rules", ["standard", "full"])
def test_one_seat_sees_no_card_before_its_play(rules):
    """C2, in the file itself."""
    for seed in range(4):
        record = random_deal(seed, rules)
        for seat in range(4):
            page = replay.page([record], seat=seat, review=UNIFORM, dd=seed == 0)
            data = data_of(page)
            own = set(record.hands[seat])
            frames = data["deals"][0]["frames"]
            assert len(data["deals"][0]["views"]) == 1
            for number, frame in enumerate(frames):
                picture, words = shown(data, 0, number, 0)
                played = played_by(words)
                named = set(CARD.findall(" ".join(re.findall(r'href="#(\w+)"', picture))))
                assert named | set(CARD.findall(words)) <= own | played
                for choice in frame["choices"]:
                    assert choice[2] is None
                    assert set(CARD.findall(choice[0])) <= own
            everything = set(CARD.findall(page))
            played = {notation.card_name(a) for a in record.actions if a < 40}
            assert everything & DECK <= own | played


def test_one_seats_page_is_a_function_of_its_views():
    """The unseen cards dealt otherwise, with the same views: the same bytes."""
    alike = 0
    for seed in range(200):
        game = Game(Rules(concession=True, ghna_caps=(0, 0, 0, 0)), seed=seed)
        chance = random.Random(seed)
        for _ in range(30):
            if not game.deal_over:
                game.push(a_word(game, chance))
        seat = seed % 4
        if game.deal_over:
            continue
        record = game.record()
        drawn = resample(game.view(seat), np.random.default_rng(seed))
        hands = tuple(tuple(notation.card_names(int(mask))) for mask in drawn.dealt)
        other = replace(record, hands=hands)
        assert hands != record.hands
        one, two = (replay.page([r], seat, UNIFORM, dd=alike < 3) for r in (record, other))
        assert one == two
        alike += 1
        if alike == 12:
            return
    raise AssertionError("too few deals last that long")


def test_hidden_decisions_leave_no_frame():
    """§10.3: another seat's declined Ghna, and defenders' talk, are no step of the page."""
    for seed in range(6):
        record = random_deal(seed, "full")
        for seat in range(4):
            frames = data_of(replay.page([record], seat))["deals"][0]["frames"]
            moves = [frame["said"] for frame in frames[1:]]
            hidden = re.compile(r"seat (\d): (no ghna|refuse|concede)")
            end = record.end()
            for move in moves:
                if found := hidden.match(move):
                    who = int(found[1])
                    talk = found[2] != "no ghna"
                    partner = talk and (who ^ seat) == 2 and (seat ^ int(end.declarer)) & 1
                    assert who == seat or partner or (end.conceded and move == moves[-1])


def test_shares_and_prices():
    """C3: shares sum to 1 over legal actions; what is true is what the solver says."""
    record = played_deal(4)
    record = replace(record, probs=None)
    data = data_of(replay.page([record], review=UNIFORM, dd=True))
    priced = 0
    for ply, game in enumerate(games(record)):
        if game.deal_over:
            break
        choices = data["deals"][0]["frames"][ply]["choices"]
        assert {choice[0] for choice in choices} == set(game.legal_words())
        assert sum(choice[1] for choice in choices) == pytest.approx(1)
        if game.state.trump >= 0:
            priced += 1
            true = solver.values(game.state)
            for word, _, real, known, made in choices:
                action = notation.parse(word, game.phase)
                assert real == true[action] - game.state.contract
                assert 0 <= made <= WORLDS
                assert -230 <= known <= 160
    assert priced >= 40


def test_last_card_is_priced_alike_by_all():
    """In the last trick nothing is hidden: the drawn deals are the true one."""
    frames = data_of(replay.page([played_deal(4)], dd=True))["deals"][0]["frames"]
    [[_, _, true, known, made]] = frames[-2]["choices"]
    assert known == true
    assert made == (WORLDS if true >= 0 else 0)


def test_shares_of_the_record_and_of_an_agent_without_any():
    [recorded] = recording.deals([UNIFORM] * 4, 1, 3, probs=True)
    frames = data_of(replay.page([recorded]))["deals"][0]["frames"]
    for frame in frames[:-1]:
        even = 1 / len(frame["choices"])
        assert all(choice[1] == pytest.approx(even) for choice in frame["choices"])
    frames = data_of(replay.page([recorded], review=agent.load("heuristic")))["deals"][0]["frames"]
    assert all(sorted(c[1] for c in f["choices"])[-1] == 1.0 for f in frames[:-1])
    bare = data_of(replay.page([replace(recorded, probs=None)]))["deals"][0]["frames"]
    assert all(c[1:] == [None] * 4 for f in bare for c in f["choices"])
    assert not any(f["dear"] for f in bare)


def test_dear_choices():
    made = [Choice("1O", known=4.0), Choice("2O", known=1.5)]
    assert cost(made, "2O", declaring=True) == 2.5
    assert cost(made, "1O", declaring=True) == 0
    assert cost(made, "1O", declaring=False) == 2.5
    assert cost([Choice("1O")], "1O", declaring=True) == 0


def test_what_each_seat_spent():
    """The line below the tricks; with all cards known it says what the analysis says."""
    record = played_deal(4)
    made = frames_of(record, None, None, dd=True)
    review = analysis.review(record)
    assert costs(made, true=True) == review.costs()
    assert sum(review.costs()) > 0
    mine = frames_of(record, 2, None, dd=True)
    assert [spent for seat, spent in enumerate(costs(mine)) if seat != 2] == [0] * 3
    assert costs(mine)[2] >= 0
    known = ", ".join(f"seat {seat} {spent}" for seat, spent in enumerate(review.costs()))
    line = re.compile(r'<p class="prices">(.*)</p>')
    [told] = line.findall(replay.page([record], dd=True))
    assert told.endswith(f"with all cards known: {known}.")
    [told] = line.findall(replay.page([record], seat=2, dd=True))
    assert re.search(r"could know: seat 2 [\d.]+$", told.rstrip("."))
    assert not line.search(replay.page([record]))


def test_words_without_the_script():
    """The deals can be read in the page itself."""
    record = replace(played_deal(4), agents=("a<b", "b", "c", "d"))
    page = replay.page([record])
    static = page[page.index('<div id="deals">') : page.index("<dialog")]
    for hand in record.hands:
        for card in hand:
            assert static.count(f">{card}<") == 2  # dealt and played
    for caption in ("Hands", "Auction", "Tricks"):
        assert f"<caption>{caption}" in static
    tricks = static[static.index('<table class="tricks">') :]
    assert [f'<th scope="row">{n}</th>' in tricks for n in range(1, 11)] == [True] * 10
    assert replay.turn(record.end()) in static
    assert "seat 0 a&lt;b" in static


def test_deals_cancelled_or_unfinished():
    cancelled = Game(seed=1)
    for _ in range(4):
        cancelled.push("pass")
    begun = Game(seed=2)
    begun.push("80")
    page = replay.page([cancelled.record(), begun.record(), Game(seed=3).record()])
    assert "no contract" in page
    assert "nobody bid: nobody scores" in page
    assert [len(deal["frames"]) for deal in data_of(page)["deals"]] == [5, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((), None), "no deal to show"),
        (((random_deal(0),), 4), "seat is 4; 0 to 3"),
        (((random_deal(0),), True), "seat is True"),
    ],
)
def test_what_cannot_be_shown(arguments, message):
    with pytest.raises(ValueError, match=message):
        replay.page(*arguments)


# The command.


@pytest.fixture
def deals(tmp_path):
    path = tmp_path / "deals.jsonl"
    records.dump([played_deal(1), played_deal(2)], path)
    return path


def test_the_command_writes_the_page(deals, tmp_path, capsys):
    page = tmp_path / "r.html"
    arguments = [str(deals), "-o", str(page), "--seat", "2", "--review", "uniform", "--dd"]
    assert cli.main(["replay", *arguments]) == 0
    assert re.match(rf"2 deals in {re.escape(str(page))}, \d+ kB\n", capsys.readouterr().out)
    made = replay.page(records.load(deals), 2, UNIFORM, dd=True)
    assert page.read_text(encoding="utf-8") == made


def test_the_command_shows_what_is_whole(deals, tmp_path, capsys):
    deals.write_text(deals.read_text()[:-30])
    page = tmp_path / "r.html"
    assert cli.main(["replay", str(deals), "-o", str(page)]) == 1
    output = capsys.readouterr()
    assert "line 2" in output.err
    assert len(data_of(page.read_text())["deals"]) == 1


@pytest.mark.parametrize("option", [["--seat", "1"], ["--review", "uniform"]])
def test_options_of_the_page_need_a_page(deals, option, capsys):
    assert cli.main(["replay", str(deals), *option]) == 2
    assert f"{option[0]}: of use with -o FILE only" in capsys.readouterr().err


def test_prices_in_the_text(deals, capsys):
    assert cli.main(["replay", str(deals), "--dd"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if "cost" in line]
    assert len(told) == 2
    each = [analysis.review(record).costs() for record in records.load(deals)]
    assert [[int(n) for n in re.findall(r"seat \d (\d+)", line)] for line in told] == each
    assert cli.main(["replay", str(deals), "--dd", "--verify"]) == 2
    assert "--dd: of no use with --verify" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["-", ".", "nowhere/r.html"])
def test_pages_that_cannot_be_written(deals, path, capsys):
    with pytest.raises(SystemExit):
        cli.main(["replay", str(deals), "-o", path])
    assert re.search("not to stdout|cannot be written", capsys.readouterr().err)


# In a browser.

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
STEP_THROUGH = """
() => {
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", {key}));
  const words = () => document.getElementById("words").textContent;
  const at = () => document.body.dataset.at;
  const told = [], back = [];
  press("Home");
  for (let last; last !== at(); press("ArrowRight")) { last = at(); told.push(words()); }
  press("End");
  for (let last; last !== at(); press("ArrowLeft")) { last = at(); back.push(words()); }
  return [told, back.reverse()];
}
"""


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="the page's tests need playwright")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with api.sync_playwright() as player:
        chromium = player.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page from a file; at the end there was no request but its own, and no error."""
    context = browser.new_context(viewport={"width": 1300, "height": 900}, offline=True)
    asked, wrong = [], []

    def open_page(content: str):
        path = tmp_path / f"page{len(asked)}.html"
        path.write_text(content, encoding="utf-8")
        tab = context.new_page()
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: wrong.append(message.text))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.goto(path.as_uri())
        expected.append(path.as_uri())
        return tab

    expected: list[str] = []
    yield open_page
    context.close()
    assert asked == expected
    assert wrong == []


def step_through(opened, made: list[DealRecord]) -> None:
    tab = opened(replay.page(made))
    for number, record in enumerate(made):
        forth, back = tab.evaluate(STEP_THROUGH)
        assert forth == back == [str(game) for game in games(record)]
        if number < len(made) - 1:
            tab.keyboard.press("PageDown")
    tab.close()


def test_deals_stepped_both_ways(opened):
    """C1, a few of them."""
    step_through(opened, [random_deal(s, ("standard", "full", "plain")[s % 3]) for s in range(6)])


@pytest.mark.slow
def test_two_hundred_deals_stepped_both_ways(opened):
    """C1."""
    for first in range(0, 200, 20):
        rules = ("standard", "full", "plain")
        step_through(opened, [random_deal(s, rules[s % 3]) for s in range(first, first + 20)])


def test_keys(opened):
    record = played_deal(4)
    tab = opened(replay.page([record, played_deal(5)], review=UNIFORM, dd=True))
    where = tab.locator("body")
    frames = data_of(tab.content())["deals"][0]["frames"]
    stops = data_of(tab.content())["deals"][0]["stops"]
    dear = [i for i, frame in enumerate(frames) if frame["dear"]]
    last = len(record.actions)

    def pressed(*keys: str) -> str:
        for key in keys:
            tab.keyboard.press(key)
        return where.get_attribute("data-at")

    assert pressed("ArrowLeft") == "0 0 4"
    assert pressed("ArrowRight", "ArrowRight") == "0 2 4"
    assert pressed("]") == f"0 {next(s for s in stops if s > 2)} 4"
    assert pressed("Home", "[") == "0 0 4"
    assert pressed("End", "ArrowRight") == f"0 {last} 4"
    assert pressed("[") == f"0 {stops[-2]} 4"
    assert pressed("Home", "n") == f"0 {dear[0]} 4"
    assert pressed("n", "p") == f"0 {dear[0]} 4"
    for seat in range(4):
        assert pressed(str(seat)) == f"0 {dear[0]} {seat}"
        assert f"as seat {seat} sees it" in tab.locator("#words").inner_text()
    assert pressed("4") == f"0 {dear[0]} 4"
    assert pressed("PageDown", "PageDown") == "1 0 4"
    assert pressed("PageUp") == "0 0 4"
    pressed("?")
    assert tab.locator("#help").is_visible()
    assert pressed("ArrowRight") == "0 0 4"
    pressed("?")
    assert not tab.locator("#help").is_visible()
    tab.locator(".deal:not([hidden]) .tricks .move").nth(5).click()
    assert where.get_attribute("data-at").split()[1] != "0"
    deal, ply, seat = where.get_attribute("data-at").split()
    tab.wait_for_url(f"**#{int(deal) + 1}.{ply}.{seat}")


def test_bars_and_prices_in_the_browser(opened):
    """C3, as drawn: bars sum to 1, and no price is seen before `d` is pressed."""
    record = played_deal(4)
    tab = opened(replay.page([record], review=UNIFORM, dd=True))
    for game in games(record):
        if game.deal_over:
            assert tab.locator("#choices tr").count() == 0
            break
        rows = tab.locator("#choices tbody tr")
        words = rows.evaluate_all("rows => rows.map(row => row.dataset.word)")
        assert set(words) == set(game.legal_words())
        shares = tab.locator("[data-share]").evaluate_all("c => c.map(x => +x.dataset.share)")
        assert sum(shares) == pytest.approx(1)
        assert tab.locator("[data-true]").count() == 0
        tab.keyboard.press("d")
        if game.state.trump >= 0:
            true = solver.values(game.state)
            for word, said in zip(words, tab.locator("[data-true]").all_inner_texts(), strict=True):
                over = true[notation.parse(word, game.phase)] - int(game.state.contract)
                sign = "+" if over > 0 else "−" if over < 0 else ""
                assert said == f"{'failed' if over < 0 else 'made'} {sign}{abs(over)}"
        tab.keyboard.press("d")
        tab.keyboard.press("ArrowRight")


def test_no_other_hand_in_the_browser(opened):
    """C2, as shown: what can be read on the page before a card is played."""
    record = random_deal(5)
    tab = opened(replay.page([record], seat=1))
    own = set(record.hands[1])
    for _ in record.actions:
        words = tab.locator("main").inner_text() + tab.locator("#board").inner_html()
        played = played_by(tab.locator("#words").inner_text())
        assert set(CARD.findall(words)) & DECK <= own | played
        tab.keyboard.press("ArrowRight")


def test_it_prints_on_one_page(opened):
    """C4: A4, with the auction and the ten tricks."""
    pypdf = pytest.importorskip("pypdf", reason="reading the print needs pypdf")
    longest = max(map(random_deal, range(40)), key=lambda r: len(r.actions))
    for record in (played_deal(4), longest):
        tab = opened(replay.page([record], review=UNIFORM))
        tab.keyboard.press("End")
        pdf = pypdf.PdfReader(io.BytesIO(tab.pdf(prefer_css_page_size=True)))
        [sheet] = pdf.pages
        assert [round(float(side)) for side in sheet.mediabox[2:]] == [595, 842]
        printed = sheet.extract_text()
        for word in ("Hands", "Auction", "Tricks", replay.turn(record.end())):
            assert word in printed
        for number in range(1, 11):
            assert re.search(rf"^{number} .*seat \d", printed, re.MULTILINE)


def test_it_can_be_read_aloud(opened):
    """Names for a screen reader: of every control, and of where one is."""
    tab = opened(replay.page([played_deal(4)], review=UNIFORM))
    tab.keyboard.press("ArrowRight")
    tree = tab.locator("body").aria_snapshot()
    for name in ("next ▸", "trick ▸", "dear ▸", "all hands"):
        assert f'button "{name}"' in tree
    assert 'slider "position"' in tree
    assert re.search(r"seat \d to act: ", tree)
    assert tab.locator("#said").get_attribute("aria-live") == "polite"
    assert tab.locator("[aria-current=step]").count() == 1
    assert tab.locator("button:not([aria-label])").evaluate_all(
        "buttons => buttons.every(button => button.textContent.trim())"
    )
