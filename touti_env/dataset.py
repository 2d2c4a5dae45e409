"""Random deals with what they are worth double dummy: data for whoever learns to value a hand.

Deal i of a seed is the first deal of game i of `VectorEnv.reset(seed=seed)`, and depends on nothing
else: a longer data set begins with the shorter one. The file is a compressed `.npz`.

| field | type | what |
|---|---|---|
| `hands` | int64[N, 4] | by seat, the cards as a mask: bit `card` is set for each card held |
| `opener` | int8[N] | the seat that leads to the first trick |
| `totals` | int16[N, 4, 4, 4] | by declarer, trump and cap on Ghna: the total (§9.1) by best play |
| `contracts` | int16[N, 4, 4] | by declarer and trump: the highest contract made, 0 for none |
| `seed`, `rules`, `format` | int64, str, str | where the deals came from; the variant, as JSON |

The caps are those of contract 70, 80, 90, and 100 or more (§7.3). The opener leads whoever
declares, so both seats of a team have the same values.

While a file is being made, the folder `NAME.parts` beside it holds what is done: the same call goes
on from there, and the file comes out the same, byte for byte, as from one go.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import solver
from .core.cards import CARDS, SEATS, SUITS
from .core.deal import check_seed, game_key, seed_stream
from .core.engine import new_match
from .core.rules import Rules, as_rules
from .core.state import new_states
from .notation import count_of

Progress: TypeAlias = Callable[[float, int], None]
"""Called with how many deals are done and how many there are."""

FORMAT = "touti-par-1"
PART = 64  # deals in a part: what an interrupt can cost
CAPS = 4


class DatasetError(ValueError):
    """A file that is no such data set, or belongs to another one."""


@dataclass(frozen=True)
class Dataset:
    """Deals and what they are worth; the arrays are those of the module's table.

    Attributes:
        hands: int64[N, 4].
        opener: int8[N].
        totals: int16[N, 4, 4, 4].
        contracts: int16[N, 4, 4].
        seed: Where the deals came from.
        rules: The variant.
    """

    hands: npt.NDArray[np.int64]
    opener: npt.NDArray[np.int8]
    totals: npt.NDArray[np.int16]
    contracts: npt.NDArray[np.int16]
    seed: int
    rules: Rules

    def __len__(self) -> int:
        return len(self.hands)


def load(path: str | Path) -> Dataset:
    """The data set in a file.

    Raises:
        DatasetError: The file is not one.
        OSError: The file cannot be read.
    """
    try:
        with np.load(path, allow_pickle=False) as content:
            if str(content["format"]) != FORMAT:
                raise DatasetError(f"{path}: format {content['format']}; {FORMAT} can be read")
            return Dataset(
                hands=content["hands"],
                opener=content["opener"],
                totals=content["totals"],
                contracts=content["contracts"],
                seed=int(content["seed"]),
                rules=as_rules(json.loads(str(content["rules"]))),
            )
    except (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(f"{path} is no data set of deals: {error}") from error


def make(
    path: str | Path,
    deals: int,
    seed: int = 0,
    rules: str | Rules = "standard",
    threads: int = 1,
    progress: Progress | None = None,
) -> Dataset:
    """Write a data set, or go on with one that was interrupted; nothing to do if it is there.

    Args:
        path: The file.
        deals: How many, at least 1.
        seed: Which deals, 0 to 2^63 - 1.
        rules: A variant's name or a `Rules`.
        threads: How many solve deals at the same time; the result is the same.
        progress: Told how far it is.

    Raises:
        DatasetError: The file, or what was done of it, is of another seed, variant or size.
        ValueError: A number is out of its range.
    """
    path, rules, seed = Path(path), as_rules(rules), check_seed(seed)
    if deals < 1 or threads < 1:
        raise ValueError(f"dataset: deals is {deals}, threads is {threads}; 1 or more are valid")
    if path.exists():
        return _checked(path, load(path), deals, seed, rules)
    folder = path.with_name(f"{path.name}.parts")
    folder.mkdir(exist_ok=True)
    parts = []
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, deals, PART):
            number = min(PART, deals - first)
            file = folder / f"{first:09d}.npz"
            if not file.exists():
                _write(file, solved(first, number, seed, rules, pool))
            parts.append(_checked(file, load(file), number, seed, rules))
            if progress:
                progress(first + number, deals)
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
    data = Dataset(**arrays, seed=seed, rules=rules)
    _write(path, data)
    shutil.rmtree(folder)
    return data


ARRAYS = ("hands", "opener", "totals", "contracts")


def solved(first: int, number: int, seed: int, rules: Rules, pool: ThreadPoolExecutor) -> Dataset:
    """The deals `first` to `first + number - 1` of a seed and what they are worth."""
    states = new_states(number)
    for i in range(number):
        seed_stream(states[i], np.uint64(game_key(seed, first + i)))
        new_match(states[i])
    opener = ((states["dealer"] + 1) % SEATS).astype(np.int8)
    hands = states["dealt"].copy()

    def par(i: int) -> solver.Par:
        cards = [[card for card in range(CARDS) if mask >> card & 1] for mask in hands[i].tolist()]
        return solver.par(cards, int(opener[i]), rules)

    pars = list(pool.map(par, range(number)))
    totals = np.array([par.totals for par in pars], np.int16)
    contracts = np.array([par.contracts for par in pars], np.int16)
    return Dataset(hands, opener, totals, contracts, seed, rules)


def _checked(path: Path, data: Dataset, deals: int, seed: int, rules: Rules) -> Dataset:
    """The data, if it is what was asked for."""
    shapes = [(deals, SEATS), (deals,), (deals, SEATS, SUITS, CAPS), (deals, SEATS, SUITS)]
    same = [getattr(data, name).shape for name in ARRAYS] == shapes
    if not same or data.seed != seed or data.rules != rules:
        raise DatasetError(
            f"{path} is there already: {count_of(len(data), 'deal')} of seed {data.seed}, rules "
            f"{data.rules.name}; not {deals:,} of seed {seed}, rules {rules.name}"
        )
    return data


def _write(path: Path, data: Dataset) -> None:
    """Write the file whole or, on an error, not at all."""
    content: dict[str, Any] = {name: getattr(data, name) for name in ARRAYS}
    content["seed"] = np.int64(data.seed)
    content["rules"] = json.dumps(data.rules.asdict())
    content["format"] = FORMAT
    part = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with part.open("wb") as file:
            np.savez_compressed(file, **content)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
