"""`touti dataset`: random deals and what they are worth, for whoever learns from them."""

from __future__ import annotations

import argparse
from typing import Any

from .. import dataset
from ..core.deal import MAX_SEED
from ..core.rules import VARIANTS, as_rules
from ..notation import count_of
from .options import no_stdout, reader, terminal_progress, whole


def add(commands: Any) -> None:
    """`touti dataset`: random deals and what they are worth, for whoever learns from them."""
    parser = commands.add_parser(
        "dataset",
        help="random deals with what they are worth double dummy, as a .npz file",
        description="Deals with par by declarer, trump and cap on Ghna; the fields are described "
        "in touti_env.dataset. Interrupted, the same command goes on where it stopped.",
    )
    parser.set_defaults(run=run, parser=parser)
    a_file = reader(no_stdout("a data set"))
    parser.add_argument("file", metavar="FILE", type=a_file, help="the file to write")
    parser.add_argument("--deals", type=whole(1), default=1000, metavar="N", help="default: 1000")
    parser.add_argument(
        "--seed", type=whole(0, MAX_SEED), default=0, metavar="N", help="which deals; default: 0"
    )
    parser.add_argument(
        "--rules", type=reader(as_rules), default="standard", help=f"{', '.join(VARIANTS)}"
    )
    parser.add_argument("--threads", type=whole(1), default=1, metavar="N", help="default: 1")


def run(options: argparse.Namespace) -> None:
    """Make the file, and say what is in it."""
    rest = (options.deals, options.seed, options.rules, options.threads)
    try:
        data = dataset.make(options.file, *rest, terminal_progress("dataset"))
    except (OSError, ValueError) as error:
        options.parser.error(str(error))
    deals = count_of(len(data), "deal")
    print(f"{options.file}: {deals} of seed {data.seed}, rules {data.rules.name}")
