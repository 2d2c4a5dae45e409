"""Data sets of solved deals: what is in them, and that an interrupt loses next to nothing."""

import numpy as np
import pytest

from touti_env import cli, dataset, solver
from touti_env.core import batch
from touti_env.core.cards import CARDS
from touti_env.core.state import new_states


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(dataset, "PART", 2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "deals.npz"
    dataset.make(path, 5, seed=4)
    return path


def test_fields(whole):
    data = dataset.load(whole)
    states = new_states(5)
    batch.seed_streams(states, 4)  # as VectorEnv.reset(seed=4) does
    batch.new_matches(states)
    assert np.array_equal(data.hands, states["dealt"])
    assert np.array_equal(data.opener, (states["dealer"] + 1) % 4)
    hands = [[card for card in range(CARDS) if int(mask) >> card & 1] for mask in data.hands[3]]
    par = solver.par(hands, int(data.opener[3]))
    assert np.array_equal(data.totals[3], par.totals)
    assert np.array_equal(data.contracts[3], par.contracts)
    assert (len(data), data.seed, data.rules.name) == (5, 4, "standard")
    assert data.totals.shape == (5, 4, 4, 4) and data.totals.dtype == np.int16


def test_an_interrupt_and_threads_change_nothing(whole, tmp_path):
    path = tmp_path / "deals.npz"

    def interrupt(done, total):
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            dataset.make(path, 5, seed=4, progress=interrupt)
    assert not path.exists()
    assert [part.name for part in (tmp_path / "deals.npz.parts").iterdir()] == ["000000000.npz"]
    told = []
    dataset.make(path, 5, seed=4, threads=2, progress=lambda *told_now: told.append(told_now))
    assert told == [(2, 5), (4, 5), (5, 5)]
    assert path.read_bytes() == whole.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["deals.npz"]


def test_what_is_there_is_not_made_again(whole, capsys):
    before = whole.stat().st_mtime_ns
    assert cli.main(["dataset", str(whole), "--deals", "5", "--seed", "4"]) == 0
    assert "5 deals of seed 4, rules standard" in capsys.readouterr().out
    assert whole.stat().st_mtime_ns == before


@pytest.mark.parametrize("options", [["--seed", "5"], ["--deals", "6"], ["--rules", "plain"]])
def test_another_data_set_is_not_overwritten(whole, capsys, options):
    arguments = ["dataset", str(whole), "--deals", "5", "--seed", "4", *options]
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    assert "is there already: 5 deals of seed 4" in capsys.readouterr().err


def test_a_file_that_is_none(tmp_path, capsys):
    path = tmp_path / "deals.npz"
    path.write_text("hello")
    with pytest.raises(dataset.DatasetError, match="is no data set of deals"):
        dataset.load(path)
    np.savez(path, a=np.zeros(2))
    with pytest.raises(dataset.DatasetError, match="is no data set of deals"):
        dataset.load(path)
    with pytest.raises(SystemExit):
        cli.main(["dataset", str(tmp_path / "missing" / "x.npz")])
    assert "its folder is missing" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["dataset", "-"])
    assert "a data set goes to a file" in capsys.readouterr().err
