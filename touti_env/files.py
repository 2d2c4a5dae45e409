"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[str]]:
    """A text file, UTF-8, that takes the place of `path` once the `with` block has ended well.

    If it ends with an error, whatever is at `path` stays as it is and nothing else is left.
    """
    path = Path(path)
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, suffix=".part", delete=False, encoding="utf-8", newline=""
    ) as part:
        try:
            yield part
        except BaseException:
            os.unlink(part.name)
            raise
    open_to_others(part.name)
    os.replace(part.name, path)


def open_to_others(name: str | Path) -> None:
    """Give a temporary file, which its owner alone may read, the mode of any other new file."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
