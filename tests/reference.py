"""A second rulebook: one deal of Touti, written from docs/rules.md and from nothing else.

It shares no line with the package and avoids everything that makes the package fast. Cards are
words of the notation ("1O"), hands are sets of them, and each rule stands next to the number of the
paragraph it comes from. Tests play both rulebooks side by side and compare them at every decision.
"""

from collections.abc import Collection, Sequence
from itertools import combinations

SUITS = ["O", "C", "E", "B"]  # §1.3
STRONGEST_FIRST = ["1", "3", "12", "11", "10", "7", "6", "5", "4", "2"]  # §1.5
POINTS = {"1": 11, "3": 10, "12": 4, "11": 3, "10": 2, "7": 0, "6": 0, "5": 0, "4": 0, "2": 0}
BIDS = list(range(70, 231, 10))  # §3.1
ANNOUNCEMENTS = {"AS", "COMPTE"}  # §3.3
SIGNALS = {"AS", "COMPTE", "+10", "stop", "silent"}  # §4.2
DECK = {rank + suit for suit in SUITS for rank in STRONGEST_FIRST}


def suit_of(card: str) -> str:
    """The suit letter of a card: "12C" gives "C"."""
    return card[-1]


def rank_of(card: str) -> str:
    """The rank of a card: "12C" gives "12"."""
    return card[:-1]


def card_points(cards: Collection[str]) -> int:
    """The points of some cards together (§1.6)."""
    return sum(POINTS[rank_of(card)] for card in cards)


def is_stronger(card: str, other: str) -> bool:
    """Whether a card beats another one of its own suit (§1.5)."""
    return STRONGEST_FIRST.index(rank_of(card)) < STRONGEST_FIRST.index(rank_of(other))


def of_suit(cards: Collection[str], suit: str | None) -> set[str]:
    """Those of the cards that belong to a suit; none while the suit is not named."""
    return {card for card in cards if suit_of(card) == suit}


def above_all(cards: set[str], rivals: set[str]) -> set[str]:
    """Those of the cards that beat every rival; all of them belong to one suit."""
    return {card for card in cards if all(is_stronger(card, rival) for rival in rivals)}


def next_seat(seat: int) -> int:
    """The seat whose turn follows (§1.1)."""
    return (seat + 1) % 4


def partner_of(seat: int) -> int:
    """The seat opposite (§1.2)."""
    return (seat + 2) % 4


def team_of(seat: int) -> int:
    """Team 0 is seats 0 and 2, team 1 is seats 1 and 3 (§1.2)."""
    return seat % 2


def ghna_cap(contract: int) -> int:
    """The most a team's Ghnas may come to under a contract (§7.3)."""
    if contract == 70:
        return 0
    if contract == 80:
        return 20
    if contract == 90:
        return 40
    return 100


class ReferenceDeal:
    """One deal, from the first word of the auction to the score.

    Attributes:
        phase: "auction", "signal", "trump", "play", "ghna", "answer" or "over".
        seat: Whose decision it is; -1 when the deal is over.
        contract: The standing bid; 0 while there is none.
        declarer: Who made the standing bid; -1 while there is none.
        trump: The trump suit, None until it is named.
        points: Card points in the tricks of team 0 and team 1, the last-trick bonus left out.
        ghna_points: What the declaring team's Ghnas have brought so far.
        total: The declaring team's total once the deal is over, 0 before.
        scored: The team that scores the contract once the deal is over; -1 before, or if cancelled.
        conceded: Whether the defenders gave the deal up.
        hands: The cards each seat still holds; a concession leaves them where they are.
    """

    def __init__(
        self,
        hands: Sequence[Collection[str]],
        dealer: int,
        *,
        signals: bool = True,
        announcements: bool = True,
        concession: bool = False,
    ) -> None:
        """Start the deal with the opener about to speak.

        Args:
            hands: Ten cards for each seat, in notation.
            dealer: The seat that dealt.
            signals: Whether the variant has signals (§4.6).
            announcements: Whether it has early announcements (§3.9).
            concession: Whether it has concession (§8.7).
        """
        if [len(hand) for hand in hands] != [10] * 4 or set().union(*hands) != DECK:
            raise ValueError("hands must be the forty cards, ten a seat (§1.7)")
        self.with_signals = signals
        self.with_announcements = announcements
        self.with_concession = concession
        self.hands: list[set[str]] = [set(hand) for hand in hands]
        self.opener = next_seat(dealer)  # §2.3
        self._clear_auction()
        self._clear_play()
        self.phase = "auction"
        self.seat = self.opener  # §3.4
        self._give_turn_to(self.opener)

    def _clear_auction(self) -> None:
        """Nobody has spoken."""
        self.contract = 0
        self.declarer = -1
        self.trump: str | None = None
        self.still_in = [0, 1, 2, 3]  # §3.2
        self.speaker = -1  # whose turn in the auction it is, or will be after the signal
        self.signalled: list[tuple[int, int]] = []  # (seat, level) of each signal sent

    def _clear_play(self) -> None:
        """Nothing has been played, declared, proposed or scored."""
        self.trick: list[tuple[int, str]] = []  # (seat, card) in the order played
        self.tricks_finished = 0
        self.trick_winner = -1
        self.points = [0, 0]
        self.ghnas_declared: list[str] = []  # their suits
        self.ghna_points = 0
        self.still_to_ask: list[int] = []  # seats whose Ghna may yet be asked after this trick
        self.proposed_this_turn = False
        self.proposer = -1
        self.conceded = False
        self.total = 0
        self.scored = -1

    def legal(self) -> set[str]:
        """The words the seat may say now; none when the deal is over."""
        if self.phase == "auction":
            return self._legal_calls()
        if self.phase == "signal":
            return set(SIGNALS)  # §4.2
        if self.phase == "trump":
            return {"trump " + suit for suit in SUITS}  # §5.1
        if self.phase == "play":
            return self._legal_cards() | ({"concede"} if self._may_propose() else set())
        if self.phase == "ghna":
            return {"ghna " + suit for suit in self._declarable(self.seat)} | {"no ghna"}
        if self.phase == "answer":
            return {"concede", "refuse"}  # §8.2
        return set()

    def push(self, word: str) -> None:
        """Say a word for the seat whose decision it is.

        Raises:
            ValueError: The word is not legal now.
        """
        if word not in self.legal():
            raise ValueError(f"{word!r} is not legal for seat {self.seat} in phase {self.phase}")
        if self.phase == "auction":
            self._call(word)
        elif self.phase == "signal":
            self._signal(word)
        elif self.phase == "trump":
            self._name_trump(word)
        elif self.phase == "play" and word == "concede":
            self._propose()
        elif self.phase == "play":
            self._play(word)
        elif self.phase == "ghna":
            self._answer_ghna(word)
        else:
            self._answer_proposal(word)

    # The auction (§3) and the signals (§4).

    def _legal_calls(self) -> set[str]:
        """Higher bids (§3.1), a pass (§3.2), the announcements (§3.3, §3.9)."""
        words = {str(bid) for bid in BIDS if bid > self.contract}
        words.add("pass")
        if self.with_announcements:
            words |= ANNOUNCEMENTS
        return words

    def _call(self, word: str) -> None:
        """Bid, or leave the auction; then see whether it is over."""
        if word == "pass" or word in ANNOUNCEMENTS:
            self.still_in.remove(self.seat)  # §3.2, §3.3
        else:
            self.contract = int(word)
            self.declarer = self.seat
        if self.still_in == []:
            self._cancel()  # §3.7
        elif self.still_in == [self.declarer]:
            self.phase = "trump"  # §3.5
            self.seat = self.declarer
        else:
            following = next_seat(self.seat)
            while following not in self.still_in:  # §3.4
                following = next_seat(following)
            self._give_turn_to(following)  # §3.6: also when nobody else is in and nobody has bid

    def _give_turn_to(self, player: int) -> None:
        """It is a player's turn in the auction, but their partner may be due a signal first."""
        self.speaker = player
        if self._signal_is_due(player):
            self.phase = "signal"
            self.seat = partner_of(player)
        else:
            self.phase = "auction"
            self.seat = player

    def _signal_is_due(self, player: int) -> bool:
        """The five conditions of §4.1, in the order given there."""
        partner = partner_of(player)
        opponents = [next_seat(player), next_seat(partner)]
        return (
            self.with_signals  # §4.6
            and partner not in self.still_in
            and player in self.still_in
            and self.contract != 0
            and any(opponent in self.still_in for opponent in opponents)
            and (partner, self.contract) not in self.signalled
        )

    def _signal(self, word: str) -> None:
        """Signal or keep silent; either way the player then has their turn (§4.1)."""
        if word != "silent":
            self.signalled.append((self.seat, self.contract))
        self.phase = "auction"
        self.seat = self.speaker

    def _name_trump(self, word: str) -> None:
        """Fix the trump suit (§5.1); the opener leads (§2.3, §6.1)."""
        self.trump = word.removeprefix("trump ")
        self._turn_to_play(self.opener)

    # The play (§6).

    def _turn_to_play(self, seat: int) -> None:
        """A seat has a new turn to play, with no proposal made in it yet."""
        self.phase = "play"
        self.seat = seat
        self.proposed_this_turn = False

    def _legal_cards(self) -> set[str]:
        """The cards the seat may play (§6.1 to §6.6)."""
        hand = self.hands[self.seat]
        if self.trick == []:
            return set(hand)  # §6.1
        led = suit_of(self.trick[0][1])
        on_table = [card for _, card in self.trick]
        led_on_table = of_suit(on_table, led)
        trumps_on_table = of_suit(on_table, self.trump)
        followers = of_suit(hand, led)
        trumps = of_suit(hand, self.trump)
        if followers:  # §6.2
            if led != self.trump and trumps_on_table:
                return followers  # §6.3, the trick has been trumped
            return above_all(followers, led_on_table) or followers  # §6.3
        if trumps:  # §6.4
            return above_all(trumps, trumps_on_table) or trumps  # §6.5
        return set(hand)  # §6.6

    def _play(self, card: str) -> None:
        """Put a card on the table."""
        self.hands[self.seat].remove(card)
        self.trick.append((self.seat, card))
        if len(self.trick) == 4:
            self._finish_trick()
        else:
            self._turn_to_play(next_seat(self.seat))

    def _winner_of_trick(self) -> int:
        """The seat of the best trump, or else of the best card of the suit led (§6.7)."""
        on_table = [card for _, card in self.trick]
        led = suit_of(self.trick[0][1])
        contenders = of_suit(on_table, self.trump) or of_suit(on_table, led)
        for seat, card in self.trick:
            if card in contenders and above_all({card}, contenders - {card}):
                return seat
        raise AssertionError("every trick has a best card")

    def _finish_trick(self) -> None:
        """Give the trick to its winner, then score the deal, ask for Ghna or lead again."""
        winner = self._winner_of_trick()
        self.points[team_of(winner)] += card_points([card for _, card in self.trick])  # §6.7
        self.trick = []
        self.tricks_finished += 1
        self.trick_winner = winner
        if self.tricks_finished == 10:
            self._score(last_trick=team_of(winner))  # §6.8
            return
        if team_of(winner) == team_of(self.declarer):
            self.still_to_ask = [winner, partner_of(winner)]  # §7.5
        else:
            self.still_to_ask = []  # §7.2, §7.5
        self._ask_or_lead()

    # Ghna (§7).

    def _value(self, suit: str) -> int:
        """What the Ghna of a suit brings (§7.1)."""
        return 40 if suit == self.trump else 20

    def _whole_pairs(self, seat: int) -> list[str]:
        """The suits whose Rey and Cabal a seat holds and has not declared (§7.1, §7.2, §7.4)."""
        hand = self.hands[seat]
        return [
            suit
            for suit in SUITS
            if "12" + suit in hand and "11" + suit in hand and suit not in self.ghnas_declared
        ]

    def _cap_left(self) -> int:
        """The part of the cap still unused (§7.3)."""
        return ghna_cap(self.contract) - self.ghna_points

    def _declarable(self, seat: int) -> list[str]:
        """The suits of the Ghnas a seat may declare now (§7.4)."""
        return [suit for suit in self._whole_pairs(seat) if self._value(suit) <= self._cap_left()]

    def _ask_or_lead(self) -> None:
        """Ask the next player who has a Ghna to declare; if nobody has, the winner leads (§7.5)."""
        while self.still_to_ask:
            asked = self.still_to_ask.pop(0)
            if self._declarable(asked):
                self.phase = "ghna"
                self.seat = asked
                return
        self._turn_to_play(self.trick_winner)

    def _answer_ghna(self, word: str) -> None:
        """Declare one, which ends the asking, or decline, which passes it on (§7.5)."""
        if word != "no ghna":
            suit = word.removeprefix("ghna ")
            self.ghnas_declared.append(suit)
            self.ghna_points += self._value(suit)
            self.still_to_ask = []
        self._ask_or_lead()

    # Concession (§8).

    def _may_propose(self) -> bool:
        """A defender, in one of the first nine tricks, once in a turn (§8.1, §8.7)."""
        return (
            self.with_concession
            and team_of(self.seat) != team_of(self.declarer)
            and self.tricks_finished < 9
            and not self.proposed_this_turn
        )

    def _propose(self) -> None:
        """Put the question to the other defender (§8.2)."""
        self.proposed_this_turn = True
        self.proposer = self.seat
        self.phase = "answer"
        self.seat = partner_of(self.seat)

    def _answer_proposal(self, word: str) -> None:
        """Agree, and the deal ends (§8.4); or refuse, and the proposer must play (§8.3)."""
        if word == "refuse":
            self.phase = "play"
            self.seat = self.proposer
            return
        self.conceded = True
        declaring = team_of(self.declarer)
        self.points[declaring] += card_points([card for _, card in self.trick])  # §8.4
        for hand in self.hands:
            self.points[declaring] += card_points(hand)  # §8.4
        self.ghna_points += self._best_credit()  # §8.5
        self._score(last_trick=declaring)

    def _best_credit(self) -> int:
        """The most that undeclared whole pairs can bring under what is left of the cap (§8.5)."""
        pairs = self._whole_pairs(self.declarer) + self._whole_pairs(partner_of(self.declarer))
        values = [self._value(suit) for suit in pairs]
        choices = [chosen for size in range(5) for chosen in combinations(values, size)]
        return max(sum(chosen) for chosen in choices if sum(chosen) <= self._cap_left())

    # The score (§9).

    def _cancel(self) -> None:
        """End a deal in which nobody bid (§3.7)."""
        self.phase = "over"
        self.seat = -1

    def _score(self, last_trick: int) -> None:
        """End the deal: the total against the contract (§9.1, §9.2, §9.3)."""
        declaring = team_of(self.declarer)
        self.total = self.points[declaring] + self.ghna_points
        if last_trick == declaring:
            self.total += 10  # §6.8
        self.scored = declaring if self.total >= self.contract else 1 - declaring
        self.phase = "over"
        self.seat = -1
