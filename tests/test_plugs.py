"""What other libraries receive is what the deals pay, whatever the way in; and the examples run."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.reward_audit import PATHS, USUAL, main
from touti_env import SingleEnv, arena
from touti_env.adapters.policy import PolicyAgent
from touti_env.core.actions import BID, NUM_ACTIONS, PASS
from touti_env.core.state import Phase
from touti_env.observation import TABLE

ROOT = Path(__file__).resolve().parent.parent
DEALS = 40


def needs(path) -> None:
    if path.version is None:
        pytest.skip(f"{path.library} is not installed")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.library}, {path.way}")
@pytest.mark.filterwarnings("ignore")
def test_every_seat_receives_what_its_deals_pay(path) -> None:
    needs(path)
    audit = path.play(DEALS, 3)
    assert len(audit.due) >= DEALS
    assert np.abs(audit.due).max() > 1
    assert audit.error < 1e-6
    assert audit.illegal == 0 < audit.decisions


@pytest.mark.parametrize("path", USUAL, ids=lambda path: f"{path.library}, {path.way}")
@pytest.mark.filterwarnings("ignore")
def test_the_audit_sees_what_is_lost(path) -> None:
    needs(path)
    assert path.play(DEALS, 3).lost > 0.7


def test_the_command_prints_a_table(capsys, monkeypatch) -> None:
    monkeypatch.setattr("benchmarks.reward_audit.PATHS", PATHS[:2])
    monkeypatch.setattr("benchmarks.reward_audit.USUAL", USUAL[:1])
    main(["--deals", "4", "--usual"])
    printed = capsys.readouterr().out
    assert re.search(
        r"^\| gymnasium \| [\d.]+ \|.*\| 0e\+00 \| 0 of \d+ \|$", printed, re.MULTILINE
    )
    assert re.search(r"of the next seat \| \d+% \|$", printed, re.MULTILINE)


def test_a_policy_is_shown_what_the_environments_show() -> None:
    """In true or in canonical suits; the action comes back in true ones."""
    taste = np.random.default_rng(0).permutation(NUM_ACTIONS) + 1
    taste[[BID, PASS]] = 100, 99  # bids 70, or leaves

    def favourite(observations, masks):
        assert (observations[:, TABLE["turn"]] == [1, 0, 0, 0]).all()
        return (masks * taste).argmax(1)

    for canonical in (False, True):
        player = PolicyAgent(favourite, "me", canonical)
        assert arena.duplicate(player, player, deals=20).standard_error == 0
        match = arena.duplicate(player, PolicyAgent(favourite, "other", not canonical), deals=20)
        assert match.standard_error > 0
        assert not any(tally.illegal for tally in match.agents)
        env = SingleEnv(canonical_suits=canonical)
        observation, _ = env.reset(seed=1)
        for _ in range(9):
            chosen = favourite(*(array[None] for array in observation.values()))[0]
            expected = player.act(env.view())
            before = env.view()
            observation, *_ = env.step(chosen)
            if before.phase == Phase.PLAY:
                assert 1 << expected == before.hands[0] & ~env.view().hands[0]


EXAMPLES = {
    "sb3_maskable_ppo": ("sb3_contrib", "--steps 8192 --deals 10"),
    "torchrl_ppo": ("torchrl", "--steps 8192 --deals 10"),
    "tianshou_ppo": ("tianshou", "--steps 4096 --deals 10"),
    "openspiel_ismcts": ("pyspiel", "--simulations 3 --deals 2"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name, tmp_path) -> None:
    library, arguments = EXAMPLES[name]
    pytest.importorskip(library)
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", *arguments.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert len(re.findall(r"points a deal for .*; 95% interval", run.stdout)) == 2
    assert re.findall(r"illegal actions +(\d+) +(\d+)", run.stdout) == [("0", "0")] * 2
    assert not any(tmp_path.iterdir())


def test_adapters_are_not_imported_by_themselves() -> None:
    code = (
        "import sys, touti_env, touti_env.arena, touti_env.single, touti_env.adapters;"
        "print([m for m in sys.modules if m.startswith('touti_env.adapters.')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
