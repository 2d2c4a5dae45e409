"""The strongest player of the package: a net's auction, and a search for the cards.

It is `pimc` with a net for its bidder, which calls, names trump and reads the table: the worlds are
weighed by where it believes the cards to be (`pimc/worlds.py`).
"""

from __future__ import annotations

from typing import Any, ClassVar

from .. import agent
from . import net
from .pimc import Pimc


class Searcher(Pimc):
    """A search whose bidder is a net; its name says where it differs from what `load` gives."""

    kind = "searcher"
    usual: ClassVar[dict[str, Any]] = {**Pimc.usual, "since": 4, "bidder": "net"}


def load(
    file: str = str(net.SHIPPED),
    worlds: int = 20,
    ms: float = 0.0,
    threads: int = 1,
    judge: str = "both",
    since: int = Searcher.usual["since"],
) -> Searcher:
    """The net of a policy `file`, that of the package unless told otherwise, with a search.

    The other options are those of `pimc`: `searcher?ms=200&threads=4` has a budget of time. The
    first tricks are the net's, which plays them better than a search does, up to trick `since`.

    Raises:
        PolicyError: The file does not hold what reads the table.
    """
    bidder = net.load(file)
    if not bidder.reads:
        raise net.PolicyError(f"{file} has no tensors {net.BELIEF}*: its net cannot read the table")
    return Searcher(bidder, agent.load("heuristic"), worlds, ms, threads, judge, since=since)
