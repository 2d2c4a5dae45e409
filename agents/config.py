"""Options: the defaults, over them a TOML file, over that flags; the unknown is an error."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import tyro

from touti_env.agent import KINDS

Args = TypeVar("Args")


class ConfigError(ValueError):
    """A configuration that cannot be meant."""


def parse(kind: type[Args], arguments: Sequence[str], default_file: Path | None = None) -> Args:
    """The options of dataclass `kind` from `--config FILE` and flags.

    Args:
        kind: A frozen dataclass with a default for every field.
        arguments: The command line, without the program.
        default_file: Read when there is no `--config`.

    Raises:
        ConfigError: The file is missing or no TOML, has an unknown key, or a value of a wrong type.
        SystemExit: A flag is unknown or cannot be read, or help was asked for.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--config", type=Path, default=default_file)
    try:
        known, rest = parser.parse_known_args(list(arguments))
    except argparse.ArgumentError as error:
        raise ConfigError("--config needs a file") from error
    path = known.config
    values = {} if path is None else read(kind, path)
    return tyro.cli(kind, args=rest, default=kind(**values), prog=Path(sys.argv[0]).name)


def read(kind: type[Any], path: Path) -> dict[str, Any]:
    """The values of a TOML or JSON file, each checked against the fields of dataclass `kind`.

    Raises:
        ConfigError: As for `parse`.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is no {path.suffix[1:].upper()}: {error}") from error
    return check(kind, content, str(path))


def check(kind: type[Any], content: dict[str, Any], where: str) -> dict[str, Any]:
    """`content` with lists as tuples, after every key and type was found right.

    Raises:
        ConfigError: A key is unknown, or a value's type is wrong.
    """
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]
    values = {}
    for key, value in content.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"valid are {', '.join(known)}"
            raise ConfigError(f"{where}: unknown key {key!r}; {hint}")
        values[key] = _fit(value, hints[key], f"{where}: {key}")
    return values


def _fit(value: Any, hint: Any, where: str) -> Any:
    """`value` as `hint` wants it, or an error."""
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} is {value!r}; a list is valid")
        return tuple(_fit(item, get_args(hint)[0], where) for item in value)
    options = get_args(hint) or (hint,)
    if float in options and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not any(option is type(value) for option in options):
        names = " or ".join(KINDS[option] for option in options if option in KINDS)
        raise ConfigError(f"{where} is {value!r}; {names} is valid")
    return value
