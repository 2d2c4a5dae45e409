"""What the commands that read records share: every line, and last words about those that fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import records
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
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", 1) from error
    if found is None:
        raise Refused(f"{path} is empty", 1)


def refuse(wrong: Sequence[RecordError]) -> None:
    """After all that holds was used: say which line was the first that does not.

    Raises:
        Refused: There is one.
    """
    if wrong:
        more = f"\n{len(wrong) - 1} lines after it do not hold either" if len(wrong) > 1 else ""
        raise Refused(f"{wrong[0]}{more}", 1)
