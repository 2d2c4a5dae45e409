"""Lines of a run that goes on, is extended, or is told something else."""

import dataclasses
from typing import Any

import pytest

from agents.options import Args
from agents.schedule import Line, Lines, go_on, lines_of

ARGS = Args(updates=10, learning_rate=1.0, learning_rate_end=0.5, ent_coef=0.2, ent_coef_end=0.1)


def resumed(lines: Lines, update: int, before: Args = ARGS, **changes: Any) -> Lines:
    """The lines after a resume at `update` with some options changed."""
    saved = {name: dataclasses.asdict(line) for name, line in lines.items()}
    args = dataclasses.replace(before, **changes)
    return go_on(saved, dataclasses.asdict(before), args, update)


def test_a_new_run_goes_from_start_to_end() -> None:
    lines = lines_of(ARGS)
    assert [lines["learning_rate"].at(update) for update in (0, 5, 10)] == [1.0, 0.75, 0.5]
    assert lines["ent_coef"].at(5) == pytest.approx(0.15)


def test_a_resume_with_the_same_options_is_the_same_line() -> None:
    assert resumed(lines_of(ARGS), 4, eval_every=1) == lines_of(ARGS)


def test_an_extension_in_the_middle_turns_where_the_line_stands() -> None:
    line = resumed(lines_of(ARGS), 5, updates=15)["learning_rate"]
    assert line == Line(5, 0.75, 15, 0.5)
    assert line.at(10) == pytest.approx(0.625)


def test_a_run_that_had_ended_goes_on_with_the_end() -> None:
    line = resumed(lines_of(ARGS), 10, updates=20)["learning_rate"]
    assert {line.at(update) for update in range(10, 20)} == {0.5}


def test_extending_twice_and_resuming_between_changes_nothing() -> None:
    longer = dataclasses.replace(ARGS, updates=15)
    once = resumed(lines_of(ARGS), 5, updates=15)
    assert resumed(once, 7, before=longer) == once
    twice = resumed(once, 10, before=longer, updates=20)["learning_rate"]
    assert twice.at(10) == once["learning_rate"].at(10)
    assert twice.at(20) == 0.5


def test_another_end_or_start_holds_from_here() -> None:
    lines = resumed(lines_of(ARGS), 5, learning_rate_end=0.25, ent_coef=0.3)
    assert lines["learning_rate"] == Line(5, 0.75, 10, 0.25)
    assert lines["ent_coef"] == Line(5, 0.3, 10, 0.1)


def test_a_run_without_updates_can_be_extended() -> None:
    none = dataclasses.replace(ARGS, updates=0)
    assert resumed(lines_of(none), 0, before=none, updates=10) == lines_of(ARGS)
