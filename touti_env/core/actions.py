"""The action table: 72 ids, the same in every phase and variant.

| id | action | legal when |
|---|---|---|
| 0..39 | play the card of that id | the play |
| 40..56 | bid 70, 80, ... 230 | own turn in the auction |
| 57 | PASS | own turn in the auction |
| 58, 59 | AS, COMPTE | own turn (an announcement), or a signal is due |
| 60, 61 | PLUS_TEN, ADVISE_PASS | a signal is due |
| 62..65 | name oros, copas, espadas, bastos as trump | the declarer names trump |
| 66..69 | declare the Ghna of oros, copas, espadas, bastos | asked after a trick |
| 70 | SKIP: stay silent, declare nothing, refuse to concede | a signal, a Ghna, an answer |
| 71 | CONCEDE: propose it, or agree | a defender's turn to play; the answer |
"""

from __future__ import annotations

from ._jit import jit

BID = 40
PASS = 57
AS = 58
COMPTE = 59
PLUS_TEN = 60
ADVISE_PASS = 61
TRUMP = 62
GHNA = 66
SKIP = 70
CONCEDE = 71
NUM_ACTIONS = 72

# A bid is also a level 1..17; level 0 is "nobody has bid".
LEVELS = 17
MIN_BID, BID_STEP = 70, 10
MAX_BID = MIN_BID + BID_STEP * (LEVELS - 1)


@jit
def level_of(contract: int) -> int:
    """The level of a contract: 0 for none, 1 for 70, ... 17 for 230."""
    return (contract - MIN_BID) // BID_STEP + 1 if contract else 0


@jit
def contract_of(level: int) -> int:
    """The contract of a level 1..17."""
    return MIN_BID + BID_STEP * (level - 1)


@jit
def bid_action(level: int) -> int:
    """The action that bids a level 1..17."""
    return BID - 1 + level


@jit
def bid_level(action: int) -> int:
    """The level 1..17 that a bid names."""
    return action - BID + 1
