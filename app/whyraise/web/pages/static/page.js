// Makes the page quicker than forms are. Without it everything still works.
const $ = (id) => document.getElementById(id);
const policy = globalThis.trustedTypes?.createPolicy("whyraise", { createHTML: (html) => html });
const form = $("ask");
const field = $("text");
const LARGE = 200_000; // characters; more than this is kept beside the field, which would be slow with it
const CHECKED = 1_000_000; // characters at either end that are looked through for secrets
const LONGEST_LINK = 32_000;
const MB = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);
let held = null; // a text too large for the field

const pasted = () => held ?? field.value;

function say(words, wrong = false) {
  $("status").textContent = words;
  $("status").classList.toggle("wrong", wrong);
}

function partsOf(html) {
  // What the service sends is escaped there; parsed this way, no script in it would run either.
  return new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
}

async function sent(path, text, headers, signal) {
  const options = { method: "POST", body: text, signal };
  options.headers = { "Content-Type": "text/plain; charset=utf-8", ...headers };
  const response = await fetch(path, options).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The service could not be reached.");
  });
  if (response.ok) return response;
  const type = response.headers.get("content-type") ?? "";
  throw new Error(type.includes("problem+json") ? (await response.json()).detail : `The service answered ${response.status}.`);
}

// Asking

let asking;
async function ask() {
  if (!pasted().trim()) return say("Paste an error first.", true);
  asking?.abort();
  const mine = (asking = new AbortController());
  const answer = $("answer");
  answer.setAttribute("aria-busy", "true");
  say("Reading your paste.");
  const slow = setTimeout(() => say("Still waiting for the answer. Your paste is kept here."), 3000);
  try {
    const { text } = await fitting(new Blob([pasted()]));
    const response = await sent("/answer", text, { Accept: "application/problem+json, text/html;q=0.9" }, mine.signal);
    answer.replaceChildren(...partsOf(await response.text()).body.childNodes);
    say("");
    document.title = `${$("found").textContent} · Whyraise`;
    reveal();
    $("found").focus();
  } catch (error) {
    if (error.name !== "AbortError") say(`${error.message} Your paste is still here; try again.`, true);
  } finally {
    clearTimeout(slow);
    if (asking === mine) answer.removeAttribute("aria-busy");
  }
}

form?.addEventListener("submit", (event) => {
  const draft = event.submitter?.formAction.endsWith("/draft");
  if (draft && held === null) return; // the browser downloads it by itself
  event.preventDefault();
  if (draft) download();
  else ask();
});

async function download() {
  try {
    const { text } = await fitting(new Blob([held]));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await (await sent("/draft", text, {})).blob());
    link.download = "record-draft.zip";
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    say(error.message, true);
  }
}

// Files and large pastes

async function decoded(blob) {
  const start = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const wide = start[0] === 0xff && start[1] === 0xfe; // what Windows writes
  return wide ? new TextDecoder("utf-16le").decode(await blob.arrayBuffer()) : blob.text();
}

async function fitting(blob) {
  const limit = Number(form.dataset.limit);
  if (blob.size <= limit) return { text: await decoded(blob), left: 0 };
  const head = Math.min(262_144, Math.floor(limit / 4));
  const tail = limit - head - 200;
  const left = blob.size - head - tail;
  const ends = await Promise.all([blob.slice(0, head).text(), blob.slice(blob.size - tail).text()]);
  const [first, last] = [ends[0].replace(/\uFFFD+$/, ""), ends[1].replace(/^\uFFFD+/, "")];
  return { text: `${first}\n[… ${left} bytes left out here …]\n${last}`, left };
}

function hold(text, words) {
  held = text;
  field.value = "";
  field.placeholder = "Paste something else to replace it";
  $("held-words").textContent = words;
  $("held").hidden = false;
}

function letGo() {
  held = null;
  field.placeholder = "Traceback (most recent call last):";
  $("held").hidden = true;
  check();
}

async function take(file) {
  const { text, left } = await fitting(file);
  const all = left ? `only its head and tail will be sent, without ${MB(left)} between them` : "all of it will be sent";
  if (text.slice(0, 8000).includes("\0")) return say(`${file.name} is no text file.`, true);
  if (text.length > LARGE) hold(text, `${file.name}, ${MB(file.size)}: ${all}. It is too large to show in the field.`);
  else {
    letGo();
    field.value = text;
  }
  say(left ? "" : `${file.name} was read. Nothing was sent yet.`);
  check();
  form.querySelector(".primary").focus();
}

if (form) {
  $("file").addEventListener("change", () => $("file").files[0] && take($("file").files[0]));
  $("let-go").addEventListener("click", () => (letGo(), field.focus()));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      field.classList.toggle("dropping", kind === "dragover");
      if (kind === "drop") take(event.dataTransfer.files[0]);
    });
  }
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (text.length <= LARGE) return;
    event.preventDefault();
    hold(text, `The pasted text, ${MB(text.length)}: all of it will be sent. It is too large to show in the field.`);
    check();
  });
  field.addEventListener("input", () => held !== null && letGo());
  form.addEventListener("input", () => later(check));
}

// Secrets

const secrets = JSON.parse(form?.dataset.secrets || "[]").map(([name, regex]) => [name, new RegExp(regex, "gi")]);
let waiting;
function later(work) {
  clearTimeout(waiting);
  waiting = setTimeout(work, 250);
}

function* found(text) {
  const parts = text.length > 2 * CHECKED ? [[0, CHECKED], [text.length - CHECKED, text.length]] : [[0, text.length]];
  for (const [start, end] of parts)
    for (const [name, regex] of secrets)
      for (const match of text.slice(start, end).matchAll(regex)) {
        const at = start + match.index + (match[1]?.length ?? 0);
        yield { name, line: text.slice(0, at).split("\n").length, start: text.slice(at, at + 4) };
      }
}

function check() {
  const text = pasted();
  const all = [...found(text)];
  $("secrets").hidden = !all.length;
  const partly = text.length > 2 * CHECKED ? " Only its first and last megabyte were looked through." : "";
  $("secrets-words").textContent =
    `${all.length === 1 ? "This looks like a secret" : `${all.length} things look like secrets`}. Nothing was sent yet.${partly}`;
  const items = all.slice(0, 5).map((one) => `${one.name} in line ${one.line}: ${one.start}…`);
  if (all.length > 5) items.push(`and ${all.length - 5} more`);
  $("secrets-list").replaceChildren(...items.map((words) => Object.assign(document.createElement("li"), { textContent: words })));
}

$("redact")?.addEventListener("click", () => {
  const clean = (text) => secrets.reduce((one, [, regex]) => one.replace(regex, (_, kept) => (typeof kept === "string" ? kept : "") + "[redacted]"), text);
  if (held === null) field.value = clean(field.value);
  else held = clean(held);
  check();
  field.focus();
});

// A link that holds the text, in the part of the address that is never sent

async function through(stream, bytes, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0, part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) throw new Error("The text in the link is too large.");
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function packed(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(code) {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes, LARGE * 4));
}

$("share")?.addEventListener("click", async () => {
  const text = pasted();
  if (!text.trim()) return say("Paste an error first.", true);
  const code = text.length > LARGE ? "" : await packed(text);
  const fits = code && code.length <= LONGEST_LINK;
  const suspects = [...found(text)].length;
  const warning = suspects ? ` ${suspects} of it look${suspects === 1 ? "s" : ""} like a secret.` : "";
  $("share-words").textContent = fits
    ? `${text.length.toLocaleString("en")} characters, a link of ${code.length.toLocaleString("en")}.${warning}`
    : "This text is too long for a link. Keep the part around the error.";
  $("share-preview").textContent = text.slice(0, 4000) + (text.length > 4000 ? "\n…" : "");
  $("share-copy").disabled = !fits;
  $("share-copy").onclick = async () => {
    await navigator.clipboard.writeText(`${location.origin}/#t=${code}`);
    $("share-dialog").close();
    say("The link is copied. It holds the whole text.");
  };
  $("share-dialog").showModal();
});
$("share-close")?.addEventListener("click", () => $("share-dialog").close());

async function opened() {
  const code = location.hash.startsWith("#t=") ? location.hash.slice(3) : "";
  if (!form || !code) return;
  history.replaceState(null, "", "/");
  try {
    field.value = await unpacked(code);
    say("This text came with the link. Nothing was sent yet: press Explain to send it.");
    check();
  } catch {
    say("The text in the link cannot be read; the link may have been cut.", true);
  }
}
opened();
addEventListener("hashchange", opened);

// Copying

function copied(button) {
  const words = (button.dataset.words ??= button.textContent);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = words), 1500);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], #copy-markdown");
  if (!button) return;
  try {
    if (button.id === "copy-markdown") await copyMarkdown();
    else {
      const rows = [...$(button.dataset.copy).querySelectorAll(".row:not(del)")];
      await navigator.clipboard.writeText(rows.map((row) => row.textContent).join(""));
    }
    copied(button);
  } catch (error) {
    say(`It could not be copied: ${error.message}`, true);
  }
});

function copyMarkdown() {
  const text = fitting(new Blob([pasted()]))
    .then((fit) => sent("/v1/explain", fit.text, { Accept: "text/markdown" }))
    .then((response) => response.blob())
    .then((blob) => new Blob([blob], { type: "text/plain" }));
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
}

// From finding to text and back

function show(target) {
  const mark = target.tagName === "MARK";
  for (const one of document.querySelectorAll(".here")) one.classList.remove("here");
  target.classList.add("here");
  target.scrollIntoView({ block: mark ? "center" : "start" });
  (mark ? target.querySelector("a") : target).focus({ preventScroll: true });
}

function reveal() {
  // Scrolls the first match into view within the paste, and nothing else.
  const lit = document.querySelector(".lit");
  const mark = lit?.querySelector("mark[id]");
  if (mark) lit.scrollTop += mark.getBoundingClientRect().top - lit.getBoundingClientRect().top - lit.clientHeight / 2;
}
reveal();

document.addEventListener("click", (event) => {
  const link = event.target.closest("#answer a[href^='#']");
  const target = link && $(link.getAttribute("href").slice(1));
  if (!target) return;
  event.preventDefault();
  show(target);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target === field) return form.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  if (event.key === "/" && field) {
    event.preventDefault();
    field.focus();
  }
  const step = { n: 1, p: -1 }[event.key];
  const marks = step ? [...document.querySelectorAll("mark[id]")] : [];
  if (!marks.length) return;
  const now = marks.findIndex((mark) => mark.classList.contains("here"));
  show(marks[(now + step + (now < 0 && step < 0 ? 1 : 0) + marks.length) % marks.length]);
});
