"""Debian's Chromium without a window, for the tests of pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def opened(path: Path, **options: Any) -> Iterator[Any]:
    """The page of a file in Chromium; the test is skipped where there is none.

    At the end it must have asked for nothing but the file, and have reported no error.
    """
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the tests of pages need playwright: pip install playwright"
    )
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("the tests of pages need Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(**options).new_page()
        asked, said = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        yield page
        browser.close()
    assert set(asked) == {path.as_uri()}
    assert said == []
