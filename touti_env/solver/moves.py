"""Which cards are worth trying and in what order, and what the leader can cash at once."""

from __future__ import annotations

from ..core._jit import jit
from ..core.cards import (
    CARDS,
    SEATS,
    SUITS,
    CardSet,
    bit,
    cards_of,
    count,
    lowest,
    pair_of,
    points_of,
    suit_of,
)
from ..core.play import BEAT, OVERTRUMP, TRUMP, beats, duty_of
from .position import POINTS, Int, Search, offered

LOST, RISK, HOPE, WON = range(4)
"""Who takes the trick: certainly they, perhaps they, we if we like, certainly we."""

TRUMPED = 1 << CARDS
SILENCE = CARDS + SUITS


@jit
def force(s: Search, seat: Int, led: Int, top: Int) -> CardSet:
    """The cards with which `seat` must take the lead in the trick, none if it cannot.

    Of two such sets the one that holds the better card is the greater number.
    """
    duty, cards = duty_of(s.hands[seat], led, top, s.trump)
    if duty == TRUMP or duty == OVERTRUMP:
        return cards | TRUMPED
    return cards if duty == BEAT else 0


@jit
def outcome(s: Search, card: Int) -> Int:
    """Who takes the trick if `card` is played."""
    led, top, ours = s.led, s.top, True
    if s.place == 0:
        led, top = suit_of(card), card
    elif beats(card, top, s.trump):
        top = card
    else:
        ours = (s.winner ^ s.seat) & 1 == 0
    if s.place == 3:
        return WON if ours else LOST
    theirs = force(s, (s.seat + 1) % SEATS, led, top)
    if s.place == 2:
        return WON if ours and not theirs else LOST
    partners = force(s, s.seat ^ 2, led, top)
    if s.place == 1:
        if not theirs:
            return WON if ours or partners else LOST
    else:
        theirs = max(theirs, force(s, (s.seat + 3) % SEATS, led, top))
        if not theirs:
            return WON
    if not partners:
        return LOST
    return HOPE if partners > theirs else RISK


@jit
def list_moves(s: Search) -> Int:
    """Write the moves worth trying to the list of this ply; returns how many they are.

    A move in the list is `score << 12 | group << 6 | move`. A move is a card, or CARDS + suit for
    a Ghna, or SILENCE. Cards with none between them that counts form a group: which of them is
    played changes nothing but where their points go, so one may stand for others.
    """
    if s.asked >= 0:
        return _list_ghnas(s)
    hand, fence = s.hands[s.seat], fence_of(s)
    allowed = duty_of(hand, s.led, s.top, s.trump)[1] if s.place else hand
    moves = s.moves[s.ply]
    if allowed & (allowed - 1) == 0:
        moves[0] = lowest(allowed)
        return 1
    number, group, taker, last = 0, 0, RISK, -1
    while allowed:
        card = lowest(allowed)
        allowed &= allowed - 1
        if last >= 0 and joined(s, hand, fence, last, card):
            if POINTS[card] == 0 or taker == LOST:
                continue
            number -= taker == WON
        else:
            group += 1
            taker = outcome(s, card)
        last = card
        moves[number] = _score(s, card, taker) << 12 | group << 6 | card
        number += 1
    return number


@jit
def _list_ghnas(s: Search) -> Int:
    """The pairs that the seat asked may declare, and silence where it may be the better choice.

    Silence gains nothing but the partner's turn, or room under the cap for another pair.
    """
    moves = s.moves[s.ply]
    number, worth = 0, 0
    for suit in range(SUITS):
        if s.live >> suit & 1:
            worth += s.worth[suit]
            if s.holder[suit] == s.asked:
                moves[number] = s.worth[suit] + 1 << 12 | suit + 1 << 6 | CARDS + suit
                number += 1
    if number == 0 or worth > s.cap or (s.asked == s.seat and offered(s, s.asked ^ 2)):
        moves[number] = SILENCE
        number += 1
    return number


@jit
def _score(s: Search, card: Int, taker: Int) -> Int:
    """How early to try a card: known to be good first, then by who takes the trick, and points."""
    killers = s.killers[count(s.rest)]
    if s.place == 0 and card == s.hint[s.ply]:
        return 1024
    if card == killers[0]:
        return 513
    if card == killers[1]:
        return 512
    is_trump = suit_of(card) == s.trump
    score = 64 - POINTS[card]
    if taker >= HOPE:
        score = 96 - POINTS[card] if s.place and is_trump else 96 + POINTS[card]
    return score - 16 if s.place == 0 and is_trump else score


@jit
def fence_of(s: Search) -> CardSet:
    """The cards that keep two cards of the seat to play apart: all others that can still count."""
    fence = s.rest & ~s.hands[s.seat]
    return fence | bit(s.top) if s.place else fence


@jit
def twin_value(s: Search, i: Int, bound: Int, maximise: bool) -> Int:
    """What move i is worth at best, from a move of its group that was tried; -1 if that is unclear.

    Of a group, the points of the cards alone can make a difference.
    """
    moves, values = s.moves[s.ply], s.values[s.ply]
    for k in range(i):
        if (moves[k] ^ moves[i]) >> 6 & 63 == 0:
            gap = abs(POINTS[moves[i] & 63] - POINTS[moves[k] & 63])
            value = values[k] + gap if maximise else values[k] - gap
            if (value < bound) == maximise:
                return value
    return -1


@jit
def joined(s: Search, hand: CardSet, fence: CardSet, low: Int, high: Int) -> bool:
    """Whether no card that counts lies between two cards of `hand`, and no Ghna hangs on which."""
    suit = suit_of(high)
    if suit != suit_of(low) or fence & (bit(high) - bit(low)):
        return False
    if s.live >> suit & 1:
        pair = pair_of(suit)
        if hand & pair == pair:
            return (bit(low) & pair != 0) == (bit(high) & pair != 0)
    return True


@jit
def pick(s: Search, i: Int, number: Int) -> Int:
    """Bring the best of the moves from `i` on to place `i`; returns the move itself."""
    moves = s.moves[s.ply]
    best = i
    for k in range(i + 1, number):
        if moves[k] > moves[best]:
            best = k
    chosen = moves[best]
    moves[best] = moves[i]
    moves[i] = chosen
    return chosen & 63


@jit
def cash(s: Search) -> Int:
    """Points that the leader is certain to take, playing master after master."""
    hand = s.hands[s.seat]
    others = s.rest & ~hand
    trumps = cards_of(s.trump)
    masters = hand & trumps & ~below_top(others, s.trump)
    drawn = count(masters)
    limit_by_trumps = 0
    for other in range(1, SEATS):
        held = s.hands[(s.seat + other) % SEATS] & trumps
        limit_by_trumps = max(limit_by_trumps, count(held))
    total, tricks = points_of(masters), drawn
    for suit in range(SUITS):
        if suit != s.trump:
            masters = hand & cards_of(suit) & ~below_top(others, suit)
            number = count(masters)
            if drawn < limit_by_trumps:
                for other in range(1, SEATS):
                    held = s.hands[(s.seat + other) % SEATS]
                    if held & trumps:
                        number = min(number, count(held & cards_of(suit)))
            tricks += number
            while count(masters) > number:
                masters &= masters - 1
            total += points_of(masters)
    if tricks == count(hand):
        total = s.left + (s.last if (s.seat ^ s.declaring) & 1 == 0 else 0)
    return total


@jit
def below_top(cards: CardSet, suit: Int) -> CardSet:
    """The bits from the lowest up to the strongest of the cards of `suit`, or none."""
    held = cards & cards_of(suit)
    held |= held >> 1
    held |= held >> 2
    held |= held >> 4
    return held | held >> 8
