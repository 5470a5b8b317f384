"""Takes the screenshots in `docs/screenshots`: `make screenshots`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.support.browser import ARGUMENTS, CHROMIUM
from tests.support.repository import ROOT
from tests.support.seed import SEED
from tests.support.serving import live
from whyraise.settings import Settings

FOLDER = ROOT / "docs" / "screenshots"
# Name, path, width, height and colour scheme of each screenshot in the documentation.
SCREENSHOTS = [
    ("answer-wide-light", "/?example=traceback", 1440, 1000, "light"),
    ("answer-wide-dark", "/?example=traceback", 1440, 1000, "dark"),
    ("answer-narrow-dark", "/?example=traceback", 390, 844, "dark"),
    ("nothing-narrow-light", "/?example=near", 390, 844, "light"),
    ("record-wide-light", f"/e/{SEED}", 1440, 1000, "light"),
]
STATES = {
    "start": "/",
    "answer": "/?example=traceback",
    "ranks": "/?example=ranks",
    "chain": "/?example=chain",
    "nothing": "/?example=near",
    "wrapper": "/?example=wrapper",
    "record": f"/e/{SEED}",
    "records": "/records?q=module",
    "about": "/about",
    "problem": "/e/nothing",
}


def take(browser: Browser, address: str, file: Path, screenshot: tuple[str, int, int, str], *, whole: bool) -> None:
    """Take a screenshot, of the whole page or of what fits the window, scrolled to the answer."""
    path, width, height, scheme = screenshot
    size = {"width": width, "height": height}
    context = browser.new_context(base_url=address, viewport=size, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(path)
    if not whole and page.locator("#found").count():
        page.locator("#found").evaluate("heading => heading.scrollIntoView()")
    page.screenshot(path=file, full_page=whole)
    context.close()


def main() -> None:
    """Take the screenshots of the documentation, or those of all states into the folders given as arguments."""
    with (
        tempfile.TemporaryDirectory() as cache,
        live(Settings(mine="off", cache_dir=cache)) as host,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        if len(sys.argv) == 1:
            FOLDER.mkdir(parents=True, exist_ok=True)
            for name, path, width, height, scheme in SCREENSHOTS:
                screenshot = (path, width, height, scheme)
                take(browser, f"http://{host}", FOLDER / f"{name}.png", screenshot, whole=False)
        for folder in sys.argv[1:]:
            for name, path in STATES.items():
                for width, height in ((1440, 1000), (320, 700)):
                    for scheme in ("light", "dark"):
                        file = Path(folder) / f"{name}-{width}-{scheme}.png"
                        take(browser, f"http://{host}", file, (path, width, height, scheme), whole=True)
        browser.close()


if __name__ == "__main__":
    main()
