"""What the commands that read records share: every line, and last words about those that fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import records
from ..notation import count_of
from ..records import DealRecord, RecordError
from .options import Refused


def lines(path: str) -> Iterator[DealRecord | RecordError]:
    """The lines of a file in order: records, or what is wrong.

    Raises:
        Refused: The file cannot be read, or is empty.
    """
    found = None
    try:
        for found in records.scan(path):
            yield found
    except RecordError as error:
        raise Refused(str(error), 1) from error
    if found is None:
        raise Refused(f"{path} is empty", 1)


def is_foreign(held: int, wrong: Sequence[RecordError]) -> bool:
    """Whether a file, of whose lines so many hold and these do not, is no file of records."""
    return not held and all(error.foreign for error in wrong)


def refuse(held: int, wrong: Sequence[RecordError]) -> None:
    """After all that holds was used: say which line was the first that does not.

    Args:
        held: How many lines hold.
        wrong: What is wrong with the others.

    Raises:
        Refused: There are others.
    """
    if not wrong:
        return
    more = ""
    if is_foreign(held, wrong):
        more = "\nno line of the file is the record of a deal"
    elif len(wrong) > 1:
        more = f"\nit is the first of {count_of(len(wrong), 'line')} that do not hold"
    raise Refused(f"{wrong[0]}{more}", 1)
