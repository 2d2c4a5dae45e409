"""The players of the package: the net is what its card says, the searcher calls like the net."""

import numpy as np
import pytest

from tests.test_net import positions
from touti_env import agent, arena
from touti_env.baselines import net

META = net.read(net.SHIPPED).meta


def test_it_is_small_and_reads_the_table():
    assert net.SHIPPED.stat().st_size < 4 * 2**20
    assert agent.load("net").name == "net" and agent.load("net").reads


def test_its_card_says_how_it_was_made():
    assert {"args", "decisions", "seconds", "card"} <= META["training"].keys()
    assert META["training"]["args"]["rules"] == "standard"


def test_it_repeats_the_score_of_its_card():
    """On other deals, within four standard errors of both together."""
    card = META["training"]["card"]["heuristic"]
    match = arena.duplicate(agent.load("net"), agent.load("heuristic"), 500, seed=77)
    error = np.hypot(match.standard_error, card["standard_error"])
    assert match.mean == pytest.approx(card["mean"], abs=4 * error)


@pytest.mark.parametrize("rules", ["standard", "full"])
def test_the_searcher_is_legal_and_calls_like_the_net(rules):
    player, caller = agent.load("searcher?worlds=2&since=7"), agent.load("net")
    for views, words, masks in positions(rules, 40, 6):
        actions = player.act_many(views, words)
        assert masks[np.arange(len(views)), actions].all()
        early = views["played"] < 24
        assert actions[early].tolist() == caller.act_many(views[early], words[early]).tolist()


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="searcher: since is 0; a trick from 1 to 10"):
        agent.load("searcher?since=0")
    for file, named in (("nowhere", "nowhere"), ("", "''")):
        with pytest.raises(FileNotFoundError, match=f"^{named}: there is no such policy file"):
            agent.load(f"searcher?file={file}")


def test_a_searcher_is_called_by_where_it_differs(tmp_path):
    other = tmp_path / "other.safetensors"
    other.write_bytes(net.SHIPPED.read_bytes())
    for spec, name in (
        ("searcher", "searcher?worlds=20"),
        ("searcher?ms=50", "searcher?ms=50"),
        ("searcher?since=6&judge=solver", "searcher?worlds=20&since=6&judge=solver"),
        (f"searcher?file={other}", "searcher?worlds=20&bidder=other"),
    ):
        assert agent.load(spec).name == name
