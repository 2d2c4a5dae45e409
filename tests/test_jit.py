"""The compiled rulebook and the same source as plain Python; where compiled code is kept."""

import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.tables import a_word, content
from touti_env import Game, VectorEnv, resample, view
from touti_env.core import _jit

ROOT = Path(__file__).resolve().parent.parent


def a_talkative_word(game: Game, chance: random.Random) -> str:
    """A legal word at random, with much talk of conceding that is mostly refused."""
    legal = game.legal_words()
    if "refuse" in legal:
        return "concede" if chance.random() < 0.02 else "refuse"
    return "concede" if "concede" in legal and chance.random() < 0.3 else a_word(game, chance)


def digest() -> str:
    """A fingerprint of every state of some deals, and of hands drawn on the way."""
    fingerprint = hashlib.sha256()
    for seed, variant in enumerate(("standard", "full", "plain")):
        game, chance, rng = (
            Game(variant, seed=seed),
            random.Random(seed),
            np.random.default_rng(seed),
        )
        for _ in range(2):
            while not game.deal_over:
                game.push(a_talkative_word(game, chance))
                fingerprint.update(content(game.state))
                if chance.random() < 0.1 and not game.deal_over:
                    drawn = resample(view(game.state, chance.randrange(4)), rng)
                    fingerprint.update(content(drawn))
            game.next_deal()
    return fingerprint.hexdigest()


def test_plain_python_plays_the_same():
    run = subprocess.run(
        [sys.executable, "-c", "from tests.test_jit import digest; print(digest())"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=1200,
    )
    assert run.stdout.strip() == digest()
    assert run.stderr == ""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package for its sources to be edited."""
    copied = tmp_path / "touti_env"
    shutil.copytree(_jit.PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_jit, "PACKAGE", copied)
    return copied


def test_the_cache_is_named_by_the_sources_wherever_they_lie(tmp_path, monkeypatch):
    here = _jit._digest()
    assert len(here) == len(_jit.CACHE_DIR.name) == 16
    shutil.copytree(_jit.PACKAGE, tmp_path / "touti_env")
    monkeypatch.setattr(_jit, "PACKAGE", tmp_path / "touti_env")
    assert _jit._digest() == here


CORE = sorted(path.name for path in (_jit.PACKAGE / "core").glob("*.py"))


@pytest.mark.parametrize(
    "file", [*(f"core/{name}" for name in CORE), "view.py", "solver/search.py"]
)
def test_an_edit_opens_a_new_folder(package, file):
    """In constants too: compiled code has them frozen in."""
    before = _jit._digest()
    path = package / file
    path.write_text(path.read_text() + "\n# edited\n")
    assert _jit._digest() != before


def test_a_new_source_opens_a_new_folder(package):
    before = _jit._digest()
    (package / "core" / "another.py").write_text("@jit\n")
    assert _jit._digest() != before


@pytest.mark.parametrize("part", ["python", "numba", "numpy", "cpu"])
def test_so_does_another_compiler_or_processor(monkeypatch, part):
    before = _jit._digest()
    if part == "python":
        monkeypatch.setattr(_jit.sys, "version", "4.0")
    elif part == "numba":
        monkeypatch.setattr(_jit.numba, "__version__", "0")
    elif part == "numpy":
        monkeypatch.setattr(_jit.np, "__version__", "0")
    else:
        monkeypatch.setattr(_jit.binding, "get_host_cpu_name", lambda: "abacus")
    assert _jit._digest() != before


def test_the_cache_can_be_written():
    Game(seed=1).push("70")
    if not _jit.numba.config.DISABLE_JIT:
        assert os.access(_jit.CACHE_DIR, os.W_OK)
        assert list(_jit.CACHE_DIR.rglob("*.nbi"))


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setattr(_jit.numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _jit._cache_root() == tmp_path / "touti_env"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _jit._cache_root() == tmp_path / ".cache" / "touti_env"
    monkeypatch.setattr(_jit.numba.config, "CACHE_DIR", str(tmp_path / "mine"))
    assert _jit._cache_root() == tmp_path / "mine"


def test_where_it_is_without_a_home_to_write_to(monkeypatch, tmp_path):
    monkeypatch.setattr(_jit.numba.config, "CACHE_DIR", "")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    fallback = Path(tempfile.gettempdir()) / f"touti_env-{os.getuid()}"
    assert _jit._cache_root() == fallback
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_jit.os, "access", lambda *_: False)
    assert _jit._cache_root() == fallback


STEP = (
    "from touti_env import touti_v0; e = touti_v0.env(); e.reset(seed=1); e.step(57); print('ok')"
)

SOLVE = """
from touti_env import Game, solver
game = Game(seed=1)
for word in ("pass", "pass", "pass", "100", "trump O"):
    game.push(word)
assert solver.made(game.state) == (solver.points(game.state) >= 100)
assert max(solver.values(game.state).values()) >= solver.points(game.state)
print("ok")
"""


def start(
    cache: Path, root: Path = ROOT, code: str = STEP, **environment: str
) -> subprocess.Popen[str]:
    """A process that runs `code` with a cache of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(run: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process printed, however busy the machine is; it never outlives the test."""
    with run:
        try:
            return run.communicate(timeout=1200)
        finally:
            run.kill()


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(STEP, id="a step"),
        pytest.param(SOLVE, id="a deal solved", marks=pytest.mark.slow),
    ],
)
def test_processes_that_start_at_once_share_the_cache_and_say_what_they_do(tmp_path, code):
    for run in [start(tmp_path, code=code) for _ in range(3)]:
        said, told = finish(run)
        assert said == "ok\n", told
        assert told.count("touti_env: compiling") == 1
        assert str(tmp_path) in told
    said, told = finish(start(tmp_path, code=code))
    assert (said, told) == ("ok\n", "")


def test_a_package_folder_that_cannot_be_written_is_no_trouble(tmp_path):
    """Nothing is written beside the sources: the folder is the same before and after."""
    root = tmp_path / "site"
    shutil.copytree(ROOT / "touti_env", root / "touti_env", ignore=shutil.ignore_patterns("__pyc*"))
    before = sorted(path.name for path in root.rglob("*"))
    run = start(tmp_path / "cache", root, PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(root))
    said, told = finish(run)
    assert said == "ok\n", told
    assert sorted(path.name for path in root.rglob("*")) == before


def test_games_do_not_depend_on_the_process():
    code = "from tests.test_jit import vector_digest; print(vector_digest())"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == vector_digest()


def vector_digest() -> str:
    """A fingerprint of some steps of a batch of games."""
    env = VectorEnv(20, canonical_suits=True, play_forced=True)
    fingerprint = hashlib.sha256(env.reset(seed=3).observation.tobytes())
    for _ in range(60):
        fingerprint.update(env.step(env.sample()).observation.tobytes())
    return fingerprint.hexdigest()


def test_importing_pulls_in_neither_torch_nor_pygame():
    code = "import sys, touti_env.vector, touti_env.touti_v0, touti_env.single, touti_env.arena\n"
    code += "print([name for name in ('torch', 'pygame', 'matplotlib') if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
