"""The habits of the club player, as numbers that were tuned by playing against other numbers."""

from __future__ import annotations

from typing import NamedTuple


class Style(NamedTuple):
    """The player's habits as numbers; each was tuned on duplicate deals against its neighbours.

    Attributes:
        caution: Points taken off every estimate before bidding.
        open_value: What leaving an auction without a bid is worth, in score.
        they_make: Points by which opponents outdo their bid.
        partner_makes: The same for the partner, facing an average hand.
        said_pass: Points that the partner's talk adds to the estimate, word by word ...
        said_as: ... an ace ...
        said_compte: ... points and no ace ...
        told_more: ... each signal AS or COMPTE ...
        told_pair: ... `+10` ...
        told_stop: ... `stop`.
        spare: Points that an opponent yet to play adds to a trick, in average cards.
        feed: The same for the partner.
        tempo: Points in taking a later trick with a card, beside its own.
        hope: The chance that a card that loses now will win later.
        defence: The weight that defenders give to later tricks.
    """

    caution: float = 4.0
    open_value: float = -8.0
    they_make: float = 8.0
    partner_makes: float = 8.0
    said_pass: float = -12.0
    said_as: float = 1.0
    said_compte: float = -6.0
    told_more: float = 2.0
    told_pair: float = 4.0
    told_stop: float = -3.0
    spare: float = 0.5
    feed: float = 1.3
    tempo: float = 19.7
    hope: float = 0.3
    defence: float = 0.5


STYLE = Style()
