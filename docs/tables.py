"""Write the tables of the pages in docs/ from the code.

    python docs/tables.py              write the tables
    python docs/tables.py --check      write nothing; exit with status 1 if a table is out of date
    python docs/tables.py --measure    write the measured tables too; takes about half a minute

A table stands between `<!-- begin: NAME -->` and `<!-- end: NAME -->`. What it says comes from the
code: names, sizes and defaults from the objects, words from docstrings.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import itertools
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path

from touti_env import notation, observation
from touti_env.baselines import net
from touti_env.core import actions, cards, rules
from touti_env.core.state import Phase
from touti_env.options import EnvOptions
from touti_env.results import interval_about

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
BLOCK = re.compile(r"(<!-- begin: (.+?) -->\n)(.*?)(<!-- end: \2 -->)", re.DOTALL)

MEASURED = {
    "measured uniform": "--agent uniform --deals 100000 --seed 0",
    "measured sane": "--agent sane --deals 100000 --seed 0",
}


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with these heads."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def groups_table(groups: Sequence[observation.Group], table: dict[str, slice]) -> str:
    """The groups of numbers in a vector."""
    return markdown(
        ["group", "slice", "shape", "what it says"],
        [
            (
                f"`{group.name}`",
                f"{table[group.name].start}:{table[group.name].stop}",
                " × ".join(_axis(axis) for axis in group.axes),
                group.meaning,
            )
            for group in groups
        ],
    )


# What an axis counts, by its first label.
AXES = {
    "auction": "phases",
    "me": "seats",
    "next": "others",
    "ours": "teams",
    "mine": "defenders",
    "2O": "cards",
    "oros": "suits",
    "70": "bids",
    "AS": "words",
    "trick 1": "tricks",
    "over 0": "steps",
}


def _axis(labels: Sequence[str]) -> str:
    """How many of what an axis counts."""
    return f"{len(labels)} {AXES[labels[0]]}" if labels[0] else "1"


def observation_table() -> str:
    """What a seat observes."""
    size = f"\nVersion {observation.VERSION}: F = {observation.SIZE} numbers.\n"
    return groups_table(observation.GROUPS, observation.TABLE) + size


def critic_table() -> str:
    """What the critic's state adds to it."""
    first = (
        "the observation",
        f"0:{observation.SIZE}",
        observation.SIZE,
        "as above, in the seat's own view",
    )
    hidden = groups_table(observation.HIDDEN_GROUPS, observation.HIDDEN_TABLE).splitlines(True)
    hidden.insert(2, f"| {' | '.join(str(cell) for cell in first)} |\n")
    return "".join(hidden) + f"\nS = {observation.STATE_SIZE} numbers.\n"


def actions_table() -> str:
    """The table in the docstring of `core.actions`, with the words of the notation."""
    rows = []
    for line in inspect.getdoc(actions).splitlines():  # type: ignore[union-attr]
        if re.match(r"\| \d", line):
            ids, meaning, when = (cell.strip() for cell in line.strip("|").split("|"))
            numbers = [int(number) for number in re.findall(r"\d+", ids)]
            rows.append((ids, _words(numbers, ".." in ids), meaning, when))
    return markdown(["id", "words", "action", "legal when"], rows)


def _words(numbers: Sequence[int], is_range: bool) -> str:
    """The words for some actions: of a long range, the first two and the last."""
    numbers = range(numbers[0], numbers[-1] + 1) if is_range else numbers
    words = [f"`{word}`" for number in numbers for word in _words_of(number)]
    return " ".join(words) if len(words) <= 4 else f"{words[0]} {words[1]} … {words[-1]}"


def _words_of(action: int) -> list[str]:
    """Every word for an action; `skip` only stands for SKIP where it is never legal."""
    words = dict.fromkeys(notation.name(action, phase) for phase in Phase)
    return [word for word in words if word != "skip"]


def cards_table() -> str:
    """The id of every card."""
    rows = []
    for suit, name in enumerate(notation.SUIT_NAMES):
        first = suit * cards.SUIT_SIZE
        letter = notation.SUIT_LETTERS[suit]
        rows.append((f"{name} ({letter})", *range(first, first + cards.SUIT_SIZE)))
    return markdown(["rank", *map(str, cards.RANKS)], rows)


def variants_table() -> str:
    """Every field of `Rules`, in every variant."""
    meaning = described(rules.Rules, "Attributes")
    rows = [
        (
            f"`{field.name}`",
            meaning[field.name],
            *(_value(getattr(variant, field.name)) for variant in rules.VARIANTS.values()),
        )
        for field in fields(rules.Rules)
    ]
    return markdown(["field", "meaning", *(f"`{name}`" for name in rules.VARIANTS)], rows)


def options_table() -> str:
    """The options that the environments share."""
    meaning = described(EnvOptions, "Attributes")
    default = EnvOptions()
    rows = []
    for field in fields(EnvOptions):
        value = getattr(default, field.name)
        shown = repr(value.name if isinstance(value, rules.Rules) else value).replace("'", '"')
        rows.append((f"`{field.name}`", f"`{shown}`", meaning[field.name]))
    return markdown(["option", "default", "meaning"], rows)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def versions_table() -> str:
    """The version numbers, and what makes them grow."""
    environment = docstring(ROOT / "touti_env" / "touti_v0.py").split("\n\n")[1]
    rows = [
        ("environment", "v0", "`touti_env.touti_v0`", environment),
        (
            "observation",
            observation.VERSION,
            "`observation.VERSION`",
            attribute_docstring(ROOT / "touti_env" / "observation.py", "VERSION"),
        ),
        (
            "rules",
            rules.RULES_VERSION,
            "`core.rules.RULES_VERSION`",
            attribute_docstring(ROOT / "touti_env" / "core" / "rules.py", "RULES_VERSION"),
        ),
    ]
    return markdown(["of", "now", "where", "when it grows"], rows)


def floors_table(container: str) -> str:
    """The floors of a package, from the contract that import-linter holds it to."""
    folder = container.replace(".", "/")
    floors = [
        [row for name in names for row in _files(f"{folder}/{name}")]
        for names in _layers(container)
    ]
    rows = [(number, *row) for number, floor in enumerate(filter(None, floors), 1) for row in floor]
    return markdown(["floor", "file", "what it is"], rows)


def training_table() -> str:
    """The files that need torch."""
    paths = [ROOT / "train.py", *sorted((ROOT / "agents").glob("[!_]*.py"))]
    return markdown(["file", "what it is"], [_row(path) for path in paths])


def card_table() -> str:
    """What the net of the package scored when it was shipped, from its file."""
    rows = []
    for name, row in net.read(net.SHIPPED).meta["training"]["card"].items():
        lead = f"{row['mean']:+.1f} ± {row['standard_error']:.1f}"
        low, high = interval_about(row["mean"], row["standard_error"], row["deals"])
        rows.append((f"`{name}`", f"{row['deals']:,}", lead, f"{low:+.1f} to {high:+.1f}"))
    return markdown(["against", "duplicate deals", "points a deal", "95% interval"], rows)


def made_table() -> str:
    """How the net of the package was made, from its file."""
    meta = net.read(net.SHIPPED).meta
    training, name = meta["training"], rules.as_rules(meta["rules"]).name
    rows = [
        ("rules", f"`{name}`, version {meta['rules_version']}"),
        ("observation", f"version {meta['observation_version']}"),
        ("layers of the policy", " × ".join(map(str, meta["hidden"]))),
        ("layers of what reads the table", " × ".join(map(str, meta["belief_hidden"]))),
        ("command", f"`python train.py --config configs/{training['args']['name']}.toml`"),
        ("seed", training["args"]["seed"]),
        ("decisions learned from in self-play", f"{training['decisions']:,}"),
        ("seconds of self-play, on two cores", f"{training['seconds']:,}"),
    ]
    return markdown(["what", ""], rows)


def _layers(container: str) -> Iterator[list[str]]:
    """The layers of a container, top to bottom; those that do not exist yet included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in project["tool"]["importlinter"]["contracts"]:
        if contract.get("containers") == [container]:
            for layer in contract["layers"]:
                yield [name.strip(" ()") for name in layer.split("|")]


def _files(name: str) -> Iterator[tuple[str, str]]:
    """The file of a module, or those of a package; nothing if there is neither."""
    path = ROOT / f"{name}.py"
    if path.exists():
        yield _row(path)
    elif (package := ROOT / name / "__init__.py").exists():
        yield f"`{name}/`", _first_sentence(docstring(package))
        if name != "touti_env/core":
            for inside in sorted(package.parent.glob("[!_]*")):
                if inside.suffix == ".py" or (inside / "__init__.py").exists():
                    yield from _files(f"{name}/{inside.stem}")


def _row(path: Path) -> tuple[str, str]:
    return f"`{path.relative_to(ROOT)}`", _first_sentence(docstring(path))


def docstring(path: Path) -> str:
    """The docstring of a file, without importing it."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def attribute_docstring(path: Path, name: str) -> str:
    """The string that follows the assignment to `name` in a file."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for statement, following in itertools.pairwise(body):
        match statement, following:
            case ast.Assign([ast.Name(target)]), ast.Expr(ast.Constant(str(text))):
                if target == name:
                    return text
    raise LookupError(f"{path}: {name} has no docstring")


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z])", paragraph)[0].rstrip(".")


def described(thing: type, section: str) -> dict[str, str]:
    """The names in a section of a Google docstring, and what it says of them."""
    text = inspect.getdoc(thing) or ""
    body = text.partition(f"\n{section}:\n")[2].partition("\n\n")[0]
    entries: dict[str, str] = {}
    for line in inspect.cleandoc(body).splitlines():
        if match := re.match(r"(\w+): (.*)", line):
            name = match[1]
            entries[name] = match[2]
        else:
            entries[name] += f" {line.strip()}"
    return entries


TABLES: dict[str, Callable[[], str]] = {
    "observation": observation_table,
    "critic": critic_table,
    "actions": actions_table,
    "cards": cards_table,
    "variants": variants_table,
    "options": options_table,
    "versions": versions_table,
    "floors": partial(floors_table, "touti_env"),
    "core": partial(floors_table, "touti_env.core"),
    "training": training_table,
    "net": made_table,
    "card": card_table,
}


def measured(name: str) -> str:
    """The tables that a benchmark prints."""
    command = [sys.executable, "-m", "benchmarks.random_play", *MEASURED[name].split()]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def rewritten(text: str, measure: bool = False) -> str:
    """A page with its tables as they should be.

    Raises:
        LookupError: The page has a table that is not known here.
    """

    def block(match: re.Match[str]) -> str:
        begin, name, old, end = match.groups()
        if name in MEASURED:
            new = f"\n{measured(name)}\n" if measure else old
        elif name in TABLES:
            new = f"\n{TABLES[name]()}\n"
        else:
            raise LookupError(f"no table is called {name!r}")
        return begin + new + end

    return BLOCK.sub(block, text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check; returns the exit status."""
    parser = argparse.ArgumentParser(description="Write the tables of docs/*.md from the code.")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true", help="write nothing, report what is old")
    group.add_argument("--measure", action="store_true", help="measure what is measured, too")
    options = parser.parse_args(arguments)
    old = False
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = rewritten(text, options.measure)
        if new != text and options.check:
            print(f"{page}: a table is out of date; run python docs/tables.py", file=sys.stderr)
            old = True
        elif new != text:
            page.write_text(new, encoding="utf-8")
    return int(old)


if __name__ == "__main__":
    sys.exit(main())
