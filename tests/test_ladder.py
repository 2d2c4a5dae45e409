"""Ladders: no order matters, nothing played is lost or mixed up, and no cycle is hidden."""

import itertools
import json

import numpy as np
import pytest

from touti_env import agent, arena, ladder
from touti_env.agent import BatchAgent
from touti_env.core.rules import VARIANTS
from touti_env.notation import legal_actions
from touti_env.results import CONTRACTS, LEAVINGS, SIGNALS, CrossPlay, Match, Tally
from touti_env.standings import stand

DEALS = 12


class Chooser(BatchAgent):
    """Takes the legal action that `choose` says; counts how often it is asked."""

    def __init__(self, name, choose):
        self.name, self.choose, self.asked = name, choose, 0

    def act_many(self, views, words):
        self.asked += len(views)
        legal = [legal_actions(view) for view in views]
        pairs = zip(legal, words, strict=True)
        return np.array([actions[self.choose(len(actions), int(w))] for actions, w in pairs])


def agents():
    return {
        "chance": Chooser("chance", lambda number, word: word % number),
        "first": Chooser("first", lambda number, word: 0),
        "last": Chooser("last", lambda number, word: -1),
        "heuristic": agent.load("heuristic"),
    }


def test_every_pair_plays_the_deals_of_the_arena():
    field = agents()
    standings = ladder.play(field, DEALS, seed=3, rules="plain")
    for i, j in itertools.combinations(range(4), 2):
        a, b = (field[standings.specs[place]] for place in (i, j))
        match = standings.cross.match(i, j)
        assert match.values == arena.duplicate(a, b, DEALS, 3, "plain").values
        assert [tally.name for tally in match.agents] == [a.name, b.name]


def test_the_order_of_the_agents_changes_nothing():
    standings = ladder.play(agents(), DEALS)
    for order in itertools.islice(itertools.permutations(agents().items()), 1, None, 7):
        again = ladder.play(dict(order), DEALS)
        assert again == standings
        assert again.table() == standings.table()


def test_the_best_is_first_and_the_anchor_is_zero():
    standings = ladder.play(agents(), 50)
    values = [rating.value for rating in standings.ratings]
    assert values == sorted(values, reverse=True)
    assert standings.specs[standings.anchor] == "heuristic"
    assert values[standings.anchor] == 0
    chance = ladder.play(agents(), 50, anchor="chance")
    shift = chance.ratings[standings.anchor].value
    assert [rating.value - shift for rating in chance.ratings] == pytest.approx(values)


@pytest.mark.parametrize("batches", [1, 4, 7])
def test_interrupted_and_continued_it_has_the_same_numbers(tmp_path, monkeypatch, batches):
    """Six matches of three batches each; stopped after some, in the midst of a match."""
    monkeypatch.setattr(ladder, "SAVE_EVERY", 0.0)
    path, left = tmp_path / "ladder.json", batches
    keep = ladder._Store.keep

    def keep_and_stop(store, pair, match):
        nonlocal left
        keep(store, pair, match)
        left -= 1
        if not left:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ladder._Store, "keep", keep_and_stop)
        with pytest.raises(KeyboardInterrupt):
            ladder.play(agents(), DEALS, batch=5, path=path)
    heard = []
    continued = ladder.play(
        agents(), DEALS, batch=5, path=path, progress=lambda *now: heard.append(now)
    )
    whole = ladder.play(agents(), DEALS, batch=5)
    assert continued == whole
    assert continued.table() == whole.table()
    played = 12 * (batches // 3) + (0, 5, 10)[batches % 3]
    assert heard[0][0] < 1
    assert heard[-1] == (6 * DEALS - played, 6 * DEALS - played)
    assert [file.name for file in tmp_path.iterdir()] == ["ladder.json"]


def test_a_finished_ladder_is_read_not_played(tmp_path):
    path = tmp_path / "ladder.json"
    played = ladder.play(agents(), DEALS, path=path)
    field = agents()
    assert ladder.play(field, DEALS, path=path) == played
    assert [field[name].asked for name in ("chance", "first", "last")] == [0, 0, 0]


def test_an_agent_that_joins_plays_its_own_matches_alone(tmp_path):
    path = tmp_path / "ladder.json"
    field = agents()
    newcomer = field.pop("chance")
    ladder.play(field, DEALS, path=path)
    field = {**agents(), "chance": newcomer}
    joined = ladder.play(field, DEALS, path=path)
    assert joined == ladder.play(agents(), DEALS)
    field["first"].asked = 0
    del field["chance"]
    ladder.play(field, DEALS, path=path)
    assert field["first"].asked == 0
    assert ladder.play(agents(), DEALS, path=path) == joined, "who left is still in the file"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deals": 13}, "deals is 12 in the file, 13 was asked for"),
        ({"seed": 1}, "seed is 0 in the file, 1 was asked for"),
        ({"rules": "plain"}, "rules is .* in the file"),
        ({"files": {"last": {"file": "2"}}}, r"last was made of other files .*'1'.*'2'"),
    ],
)
def test_another_ladder_is_refused(tmp_path, change, message):
    path = tmp_path / "ladder.json"
    asked = {"deals": DEALS, "files": {"last": {"file": "1"}}}
    ladder.play(agents(), path=path, **asked)
    before = path.read_bytes()
    with pytest.raises(ladder.LadderError, match=message):
        ladder.play(agents(), path=path, **{**asked, **change})
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", ["rules_version", "version", "format"])
def test_results_of_another_version_are_refused(tmp_path, version):
    path = tmp_path / "ladder.json"
    ladder.play(agents(), DEALS, path=path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {version: "old"}))
    with pytest.raises(ladder.LadderError, match=f"{version} is 'old' in the file"):
        ladder.play(agents(), DEALS, path=path)


@pytest.mark.parametrize("content", [b"", b"[]", b"no json", b"\xff\xfe", b'{"agents": 3}'])
def test_a_file_of_something_else_is_refused_and_kept(tmp_path, content):
    path = tmp_path / "ladder.json"
    path.write_bytes(content)
    with pytest.raises(ladder.LadderError):
        ladder.play(agents(), DEALS, path=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("key", ["agents", "matches"])
def test_a_damaged_file_is_refused(tmp_path, key):
    path = tmp_path / "ladder.json"
    ladder.play(agents(), DEALS, path=path)
    content = json.loads(path.read_text())
    for damage in (None, 3, [{}]):
        path.write_text(json.dumps(content | {key: damage}))
        with pytest.raises(ladder.LadderError, match="holds no ladder"):
            ladder.play(agents(), DEALS, path=path)


def test_arguments_out_of_range():
    with pytest.raises(ValueError, match="a ladder needs two agents or more"):
        ladder.play({"heuristic": agent.load("heuristic")})
    with pytest.raises(ValueError, match="anchor is 'pimc'; one of chance, first, heuristic, last"):
        ladder.play(agents(), anchor="pimc")
    with pytest.raises(ValueError, match="deals is 1"):
        ladder.play(agents(), deals=1)


def test_agents_of_one_name_are_told_apart_by_their_specs():
    twins = {f"uniform#{n}": agent.load("uniform") for n in (1, 2)}
    standings = ladder.play(twins, DEALS, anchor="uniform#1")
    assert standings.cross.names == ("uniform#1", "uniform#2")
    assert [rating.value for rating in standings.ratings] == [0, 0]


def a_match(first, second, values):
    nothing = [(0,) * len(kind) for kind in (CONTRACTS, CONTRACTS, LEAVINGS, SIGNALS)]
    tallies = tuple(Tally(name, *nothing, 0, 0, 0.0) for name in (first, second))
    return Match(tallies, VARIANTS["standard"], 0, tuple(values), 0)


def standings_of(leads, deals=400, spread=30.0):
    """Of agents a, b, c, ... where the first of each pair of letters leads by so many points."""
    rng = np.random.default_rng(1)
    names = sorted(set("".join(leads)))
    matches = []
    for first, second in itertools.combinations(names, 2):
        lead = leads.get(first + second, -leads.get(second + first, 0.0))
        noise = rng.normal(size=deals)
        noise = (noise - noise.mean()) / noise.std(ddof=1)
        matches.append(a_match(first, second, spread * noise + lead))
    return stand(names, CrossPlay(tuple(names), tuple(matches)), names[0])


def test_a_cycle_is_shown_with_its_margins():
    standings = standings_of({"ab": 10.0, "bc": 12.0, "ca": 14.0, "ad": 40, "bd": 50, "cd": 60})
    [cycle] = standings.cycles
    places = [standings.specs[place] for place in cycle.agents]
    assert "".join(places * 2).count("abc") == 1
    assert cycle.clear
    lead = {"ab": 10.0, "bc": 12.0, "ca": 14.0}
    links = zip(places, [*places[1:], places[0]], strict=True)
    for link, (mean, low, high) in zip(links, cycle.margins, strict=True):
        assert mean == pytest.approx(lead["".join(link)])
        assert low == pytest.approx(mean - 1.966 * 30 / 400**0.5, abs=0.01)
        assert high - mean == pytest.approx(mean - low)
    text = standings.table()
    assert "1, of which 1 with every interval clear of 0" in text
    assert "+14.0 (+11." in text
    content = standings.asdict()
    assert json.loads(json.dumps(content)) == content
    assert content["cycles"][0]["agents"] == places


def test_a_cycle_that_may_be_chance_is_shown_as_that():
    standings = standings_of({"ab": 10.0, "bc": 12.0, "ca": 1.0})
    [cycle] = standings.cycles
    assert not cycle.clear
    assert "1, of which 0 with every interval clear of 0" in standings.table()


def test_agents_on_a_line_have_no_cycle():
    standings = standings_of({"ab": 10.0, "bc": 12.0, "ac": 1.0})
    assert standings.cycles == []
    assert "No cycles" in standings.table()
    assert standings.specs == ("a", "b", "c")


def test_the_clearest_cycles_come_first_and_the_rest_is_counted():
    """Seven in a ring, each leading the three after it: 14 cycles, the closest links the least."""
    names = "abcdefg"
    leads = {
        names[i] + names[(i + step) % 7]: 5.0 * step + i / 10
        for i in range(7)
        for step in (1, 2, 3)
    }
    standings = standings_of(leads)
    least = [min(low for _, low, _ in cycle.margins) for cycle in standings.cycles]
    assert len(least) == 14
    assert least == sorted(least, reverse=True)
    assert "and 2 more, each less clear" in standings.table()


def test_contracts_are_those_of_all_matches():
    standings = ladder.play(agents(), DEALS)
    place = standings.specs.index("first")
    tallies = [
        tally
        for match in standings.cross.matches
        for tally in match.agents
        if tally.name == "first"
    ]
    assert len(tallies) == 3
    total = standings.tally(place)
    assert sum(total.declared) == sum(sum(tally.declared) for tally in tallies) > 0
    assert total.decisions == sum(tally.decisions for tally in tallies)
    row = next(line for line in standings.table().splitlines() if line.startswith("all "))
    assert f"{sum(total.declared):,} (" in row


def test_tables_keep_to_their_width():
    field = {f"{'long name ' * 9}{n}": Chooser("x" * 60 + str(n), lambda m, w: 0) for n in range(8)}
    standings = ladder.play(field, 2, anchor=next(iter(field)))
    assert max(map(len, standings.table().splitlines())) <= 100


def test_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    standings_of({"ab": 10.0, "bc": 12.0, "ca": 14.0}).plot(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert "<svg" in text


def test_files_that_an_agent_is_made_of(tmp_path, monkeypatch):
    (tmp_path / "lucky.py").write_text(
        "from touti_env.baselines.uniform import Uniform\n"
        f"def load(charm: str = {str(tmp_path / 'charm')!r}, other: str = '', luck: int = 1):\n"
        "    return Uniform()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert agent.files("uniform") == agent.files("lucky") == {}
    (tmp_path / "charm").write_text("clover")
    first = agent.files("lucky")
    assert list(first) == ["charm"]
    assert agent.files(f"lucky?other={tmp_path / 'charm'}&luck=2") == {
        "charm": first["charm"],
        "other": first["charm"],
    }
    (tmp_path / "charm").write_text("horseshoe")
    assert agent.files("lucky") != first
    with pytest.raises(ValueError, match="no option 'fate'"):
        agent.files("lucky?fate=1")
