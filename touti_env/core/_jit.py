"""Every compiled function of the package is made by `jit`, its cache keyed by all the sources.

Numba's own cache looks only at the file that holds a function: edit a callee in another file and
the stale machine code is loaded. So the cache folder is named by a digest of every source file that
holds compiled code or, as all of the core may, constants frozen into it, of the Numba and NumPy
versions and of the CPU: any edit opens a new folder.

The folder is `NUMBA_CACHE_DIR` if that is set, else the user's cache directory, else a temporary
one. Several processes may share it. With `NUMBA_DISABLE_JIT=1` the same source runs as plain
Python: slow, steppable, measurable.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numba
import numpy as np
from llvmlite import binding
from numba.core import event

F = TypeVar("F", bound=Callable[..., object])

PACKAGE = Path(__file__).resolve().parent.parent


def _sources() -> list[Path]:
    """Every file of the package that compiled code depends on, in a fixed order."""
    core = PACKAGE / "core"
    paths = sorted(PACKAGE.rglob("*.py"))
    return [path for path in paths if path.parent == core or b"@jit" in path.read_bytes()]


def _digest() -> str:
    """A name for this very combination of sources, compiler and processor."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    for part in (sys.version, numba.__version__, np.__version__, binding.get_host_cpu_name()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """Where compiled code is kept: the user's choice, else a cache folder that can be written."""
    if numba.config.CACHE_DIR:
        return Path(numba.config.CACHE_DIR)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(base) / "touti_env"
    fallback = Path(tempfile.gettempdir()) / f"touti_env-{os.getuid()}"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return fallback
    return root if os.access(root, os.W_OK) else fallback


CACHE_DIR = _cache_root() / _digest()

if numba.config.DISABLE_JIT:
    # Random words are meant to wrap around; plain NumPy scalars would warn at every one of them.
    np.seterr(over="ignore")


class _Notice(event.Listener):  # type: ignore[misc]
    """Says once in a process that machine code is being made: a first start takes some seconds."""

    said = False

    def on_start(self, event: event.Event) -> None:
        """A function of some package is about to be compiled, since no cache has it."""
        if not self.said and event.data["dispatcher"].__module__.startswith("touti_env."):
            self.said = True
            print(f"touti_env: compiling what is new; kept in {CACHE_DIR}", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        """Nothing to say."""


event.register("numba:compile", _Notice())


def jit(function: F) -> F:
    """`function`, compiled at its first call, releasing the GIL, with the machine code cached."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_DIR)
    try:
        compiled: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled
