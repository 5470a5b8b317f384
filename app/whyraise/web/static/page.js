// Makes the page quicker than forms are. Without it everything still works.
const $ = (id) => document.getElementById(id);
const policy = globalThis.trustedTypes?.createPolicy("whyraise", { createHTML: (html) => html });
const form = $("ask");

function partsOf(html) {
  // What the service sends is escaped there; parsed this way, no script in it would run either.
  return new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
}

function say(words) {
  $("status").textContent = words;
}

async function problemOf(response) {
  const type = response.headers.get("content-type") ?? "";
  return type.includes("problem+json") ? (await response.json()).detail : `The service answered ${response.status}.`;
}

let asking;
async function ask(text) {
  asking?.abort();
  asking = new AbortController();
  const answer = $("answer");
  answer.setAttribute("aria-busy", "true");
  say("Reading your paste.");
  try {
    const headers = { "Content-Type": "text/plain; charset=utf-8", Accept: "text/html, application/problem+json" };
    const response = await fetch("/answer", { method: "POST", body: text, headers, signal: asking.signal });
    if (!response.ok) throw new Error(await problemOf(response));
    answer.replaceChildren(...partsOf(await response.text()).body.childNodes);
    say("");
    $("found")?.focus();
  } catch (error) {
    if (error.name === "AbortError") return;
    say(`${error instanceof TypeError ? "The service could not be reached." : error.message} Your paste is still here; try again.`);
  }
  answer.removeAttribute("aria-busy");
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  ask($("text").value);
});
$("text")?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const rows = [...$(button.dataset.copy).querySelectorAll(".row:not(del)")];
  await navigator.clipboard.writeText(rows.map((row) => row.textContent).join(""));
  const words = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = words), 1500);
});
