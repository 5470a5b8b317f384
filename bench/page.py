"""What the page costs: from submit to the first answer painted, a 5 MB log, and how much a page weighs."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from playwright.sync_api import Page, sync_playwright
from tests.support.browser import ARGUMENTS, CHROMIUM
from tests.support.seed import SEED, TRACEBACK
from tests.support.serving import live

from whyraise.settings import Settings

LOG = "2026-12-01 10:00:00,123 INFO trainer: step 12 loss 0.123 lr 1e-4 throughput 1234.5 samples/s epoch 1\n"
# Submits what the page holds and waits until the answer was painted: two frames after it stands in the page.
PAINTED = """() => new Promise((done) => {
  const answer = document.getElementById("answer");
  const longest = { task: 0 };
  new PerformanceObserver((list) => list.getEntries().forEach((one) => {
    longest.task = Math.max(longest.task, one.duration);
  })).observe({ entryTypes: ["longtask"] });
  answer.replaceChildren();
  const start = performance.now();
  new MutationObserver((_, observer) => {
    if (!document.getElementById("found")) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const painted = performance.now() - start;
      setTimeout(() => done([painted, longest.task]), 100);
    }));
  }).observe(answer, { childList: true });
  document.getElementById("ask").requestSubmit();
})"""


def painted(page: Page, text: str, rounds: int) -> tuple[float, float, float]:
    """Return the first, the median and the longest task of several submissions, in milliseconds."""
    drop = "([text]) => { const t = new DataTransfer(); t.items.add(new File([text], 'a.log')); return t; }"
    page.goto("/")
    page.dispatch_event("#text", "drop", {"dataTransfer": page.evaluate_handle(drop, [text])})
    page.wait_for_selector("#held:not([hidden]), #status:not(:empty)")
    times = [page.evaluate(PAINTED) for _ in range(rounds)]
    return times[0][0], sorted(time for time, _ in times)[rounds // 2], max(task for _, task in times)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as cache,
        live(Settings(mine="off", cache_dir=cache)) as host,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_context(base_url=f"http://{host}", viewport={"width": 1280, "height": 900}).new_page()
        small, large = (
            LOG * ((5000 - len(TRACEBACK)) // len(LOG)) + TRACEBACK,
            LOG * (5_000_000 // len(LOG)) + TRACEBACK,
        )
        for name, text, rounds in (("5 KB", small, 15), ("5 MB", large, 3)):
            first, median, task = painted(page, text, rounds)
            print(
                f"{name}, {len(text):,} characters: first answer painted {first:.0f} ms after submit, median"
                f" {median:.0f} ms, longest task in the browser {task:.0f} ms"
            )
            paste = page.locator("pre.lit").evaluate("lit => lit.outerHTML.length")
            answer = page.locator("#answer").evaluate("all => all.innerHTML.length") - paste
            print(f"  the answer has {answer:,} bytes, the paste lit up {paste:,} beside")
        for where in ("/", f"/e/{SEED}"):
            page.goto(where)
            entries = "performance.getEntries().filter((one) => 'decodedBodySize' in one)"
            sizes = page.evaluate(f"() => {entries}.map((one) => one.decodedBodySize)")
            print(f"{where}: {sum(sizes):,} bytes with style, script and icon")
        browser.close()


if __name__ == "__main__":
    main()
