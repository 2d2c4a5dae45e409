"""The pages hold: snippets run, tables are those of the code, links and §§ lead somewhere."""

import doctest
import importlib.util
import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import touti_env
from benchmarks import random_play
from tests.test_cli import without_notices
from touti_env import Game, SingleEnv, VectorEnv, cli
from touti_env.touti_v0 import raw_env

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
SOURCES = [
    path
    for place in ("touti_env", "agents", "benchmarks", "examples", "docs", "tests")
    for path in sorted((ROOT / place).rglob("*.py"))
]
SNIPPET = re.compile(r"^```python(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def snippets(page: Path) -> list[tuple[str, str, int]]:
    """Tag, source and line of each snippet that can run here."""
    text = page.read_text(encoding="utf-8")
    return [
        (match[1] or "", match[2], text[: match.start()].count("\n") + 1)
        for match in SNIPPET.finditer(text)
        if match[1] != "no-run"
    ]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_snippets_run(page, tmp_path, monkeypatch):
    """In order, in one namespace, in an empty folder; those with `>>>` print what they say."""
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "snippet"}
    for _, source, line in snippets(page):
        if ">>>" in source:
            run_session(source, names, page, line)
        else:
            exec(compile("\n" * line + source, name_of(page), "exec"), names)


def run_session(source: str, names: dict, page: Path, line: int) -> None:
    session = doctest.DocTestParser().get_doctest(source, names, page.name, name_of(page), line)
    report = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(session, out=report.append, clear_globs=False)
    assert not report, "".join(report)
    names.update(session.globs)


def test_the_agent_of_the_page_plays(tmp_path, monkeypatch, capsys):
    """Saved where the page says, and called as it says."""
    [(tag, source, _)] = [s for s in snippets(ROOT / "docs/architecture.md") if "=" in s[0]]
    path = tmp_path / tag.removeprefix("file=")
    path.parent.mkdir()
    path.write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "players", raising=False)
    command = next(
        line.removeprefix("$ touti ")
        for line in (ROOT / "docs/architecture.md").read_text().splitlines()
        if line.startswith("$ touti ")
    )
    assert cli.main(command.replace("1000", "20").split()) == 0
    assert re.search(r"illegal actions +0 +0$", capsys.readouterr().out, re.MULTILINE)


CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TOUTI = f'touti() {{ {shlex.quote(sys.executable)} -m touti_env "$@"; }}; '


def test_the_commands_of_the_page_print_what_it_says(tmp_path):
    """In order, in one empty folder; errors are printed as well."""
    text = (ROOT / "docs/people.md").read_text(encoding="utf-8")
    commands = [command for block in CONSOLE.findall(text) for command in COMMAND.findall(block)]
    assert len(commands) > 10
    for command, expected in commands:
        done = subprocess.run(
            ["bash", "-c", TOUTI + command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert without_notices(done.stdout) == expected.splitlines(), command


def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_tables", ROOT / "docs" / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_are_up_to_date():
    assert tables().main(["--check"]) == 0, "run python docs/tables.py"


def test_figures_are_up_to_date():
    figures = importlib.util.spec_from_file_location("figures", ROOT / "docs" / "figures.py")
    module = importlib.util.module_from_spec(figures)
    figures.loader.exec_module(module)
    assert module.main(["--check"]) == 0, "run python docs/figures.py"


def test_old_tables_are_found(tmp_path, monkeypatch, capsys):
    module = tables()
    page = tmp_path / "page.md"
    page.write_text("<!-- begin: cards -->\nold\n<!-- end: cards -->\n")
    monkeypatch.setattr(module, "DOCS", tmp_path)
    assert module.main(["--check"]) == 1
    assert "old" in page.read_text()
    assert module.main([]) == module.main(["--check"]) == 0
    assert "| oros (O) | 0 |" in page.read_text()


def test_every_measured_table_is_there():
    text = (ROOT / "docs/environment.md").read_text()
    for name, command in tables().MEASURED.items():
        block = text.partition(f"<!-- begin: {name} -->")[2].partition("<!--")[0]
        assert "| contract |" in block
        assert f"`python -m benchmarks.random_play {command}`" in " ".join(text.split())


def test_random_play_is_the_same_at_every_run(capsys):
    arguments = ["--agent", "sane", "--rules", "full", "--deals", "40", "--seed", "3"]
    random_play.main(arguments)
    printed = capsys.readouterr().out
    random_play.main(arguments)
    assert capsys.readouterr().out == printed
    deals = random_play.play("uniform", "standard", 30, 5)
    vector = VectorEnv(30)
    vector.reset(seed=5)
    assert deals.tables["dealt"].tolist() == vector.states["dealt"].tolist()
    assert (deals.decisions.sum(1) >= deals.choices).all()


def paragraphs() -> set[str]:
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    return set(re.findall(r"^## (\d+) ", text, re.MULTILINE)) | set(
        re.findall(r"^\*\*(\d+\.\d+)", text, re.MULTILINE)
    )


@pytest.mark.parametrize("path", [*PAGES, *SOURCES, ROOT / "train.py"], ids=name_of)
def test_paragraphs_exist(path):
    known = paragraphs()
    text = path.read_text(encoding="utf-8")
    cited = re.findall(r"§(\d+(?:\.\d+)?)", text) + re.findall(r"§[\d.]+-(\d+\.\d+)", text)
    assert {number for number in cited if number not in known} == set()


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub links to them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http:", "https:")):
            file, _, anchor = target.partition("#")
            there = page.parent / file if file else page
            assert there.exists(), target
            assert not anchor or anchor in anchors(there), target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_named_exist(page):
    text = page.read_text(encoding="utf-8")
    places = "touti_env|agents|tests|docs|benchmarks|examples|configs"
    for name in re.findall(rf"`((?:{places})/[\w./]*)`", text):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("name", touti_env.__all__)
def test_public_names_are_described(name):
    assert inspect.getdoc(getattr(touti_env, name))


@pytest.mark.parametrize("kind", [Game, VectorEnv, raw_env, SingleEnv])
def test_public_methods_are_described(kind):
    members = {name: member for name, member in vars(kind).items() if not name.startswith("_")}
    methods = {n: m for n, m in members.items() if callable(m) or isinstance(m, property)}
    assert [name for name, method in methods.items() if not inspect.getdoc(method)] == []
