"""The package and the second rulebook, tests/reference.py, agree at every decision of 10,000 deals.

`python -m tests.compare --decisions 1000000` plays on from here.
"""

from itertools import product

import pytest

from tests.compare import Tally, compare_deal
from touti_env import Rules

DEALS = 500
CHUNKS = {"standard": 7, "full": 7, "plain": 4}
SWITCHES = list(product([False, True], repeat=3))


@pytest.mark.parametrize(
    ("variant", "chunk"),
    [(variant, chunk) for variant, chunks in CHUNKS.items() for chunk in range(chunks)],
)
def test_the_variants(variant, chunk):
    tally = Tally()
    for seed in range(chunk * DEALS, (chunk + 1) * DEALS):
        compare_deal(variant, seed, tally)
    assert tally.deals == DEALS


@pytest.mark.parametrize(("signals", "announcements", "concession"), SWITCHES)
def test_each_part_by_itself(signals, announcements, concession):
    rules = Rules(signals=signals, announcements=announcements, concession=concession)
    tally = Tally()
    for seed in range(125):
        compare_deal(rules, seed, tally)
    assert tally.decisions > 125 * 4
