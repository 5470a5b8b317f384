// Makes the page faster than plain forms. The page also works without JavaScript.
const $ = (id) => document.getElementById(id);
const policy = globalThis.trustedTypes?.createPolicy("whyraise", { createHTML: (html) => html });
const form = $("ask");
const field = $("text");
const LARGE = 200_000; // characters; a longer text would make the field slow, so it is kept in `largeText`
const CHECKED = 1_000_000; // characters at each end of a long text that are searched for secrets
const MAX_LINK = 32_000;
const formatSize = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`);
let largeText = null; // the text to send, if it is too large for the field

const currentText = () => largeText ?? field.value;

function showStatus(message, isError = false) {
  $("status").textContent = message;
  $("status").classList.toggle("wrong", isError);
}

function parseHtml(html) {
  // The service has escaped the HTML. DOMParser does not run scripts either.
  return new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
}

async function send(path, text, headers, signal) {
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

let request; // the latest one; it cancels the one before
async function ask() {
  if (!currentText().trim()) return showStatus("Paste an error first.", true);
  request?.abort();
  const controller = (request = new AbortController());
  const answer = $("answer");
  answer.setAttribute("aria-busy", "true");
  showStatus("Reading your paste.");
  const slowTimer = setTimeout(() => showStatus("Still waiting for the answer. Your paste is kept here."), 3000);
  try {
    const { text } = await truncate(new Blob([currentText()]));
    const response = await send("/answer", text, { Accept: "application/problem+json, text/html;q=0.9" }, controller.signal);
    answer.replaceChildren(...parseHtml(await response.text()).body.childNodes);
    showStatus("");
    document.title = `${$("found").textContent} · Whyraise`;
    scrollToFirstMatch();
    $("found").focus();
  } catch (error) {
    if (error.name !== "AbortError") showStatus(`${error.message} Your paste is still here; try again.`, true);
  } finally {
    clearTimeout(slowTimer);
    if (request === controller) answer.removeAttribute("aria-busy");
  }
}

form?.addEventListener("submit", (event) => {
  const draft = event.submitter?.formAction.endsWith("/draft");
  if (draft && largeText === null) return; // the browser submits the form and downloads the file
  event.preventDefault();
  if (draft) download();
  else ask();
});

async function download() {
  try {
    const { text } = await truncate(new Blob([largeText]));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await (await send("/draft", text, {})).blob());
    link.download = "record-draft.zip";
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    showStatus(error.message, true);
  }
}

// Files and large pastes

async function decode(blob) {
  const start = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const isUtf16 = start[0] === 0xff && start[1] === 0xfe; // the byte order mark that Windows tools write
  return isUtf16 ? new TextDecoder("utf-16le").decode(await blob.arrayBuffer()) : blob.text();
}

async function truncate(blob) {
  const limit = Number(form.dataset.limit);
  if (blob.size <= limit) return { text: await decode(blob), omitted: 0 };
  const head = Math.min(262_144, Math.floor(limit / 4));
  const tail = limit - head - 200;
  const omitted = blob.size - head - tail;
  const ends = await Promise.all([blob.slice(0, head).text(), blob.slice(blob.size - tail).text()]);
  const [first, last] = [ends[0].replace(/\uFFFD+$/, ""), ends[1].replace(/^\uFFFD+/, "")];
  return { text: `${first}\n[… ${omitted} bytes left out here …]\n${last}`, omitted };
}

function keepLargeText(text, message) {
  largeText = text;
  field.value = "";
  field.placeholder = "Paste something else to replace it";
  $("held-words").textContent = message;
  $("held").hidden = false;
}

function removeLargeText() {
  largeText = null;
  field.placeholder = "Traceback (most recent call last):";
  $("held").hidden = true;
  checkForSecrets();
}

async function readFile(file) {
  const { text, omitted } = await truncate(file);
  const extent = omitted ? `only its start and its end will be sent, without ${formatSize(omitted)} between them` : "all of it will be sent";
  if (text.slice(0, 8000).includes("\0")) return showStatus(`${file.name} is not a text file.`, true);
  if (text.length > LARGE) keepLargeText(text, `${file.name}, ${formatSize(file.size)}: ${extent}. It is too large to show in the field.`);
  else {
    removeLargeText();
    field.value = text;
  }
  showStatus(omitted ? "" : `${file.name} was read. Nothing was sent yet.`);
  checkForSecrets();
  form.querySelector(".primary").focus();
}

if (form) {
  $("file").addEventListener("change", () => $("file").files[0] && readFile($("file").files[0]));
  $("let-go").addEventListener("click", () => (removeLargeText(), field.focus()));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      field.classList.toggle("dropping", kind === "dragover");
      if (kind === "drop") readFile(event.dataTransfer.files[0]);
    });
  }
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (text.length <= LARGE) return;
    event.preventDefault();
    keepLargeText(text, `The pasted text, ${formatSize(text.length)}: all of it will be sent. It is too large to show in the field.`);
    checkForSecrets();
  });
  field.addEventListener("input", () => largeText !== null && removeLargeText());
  form.addEventListener("input", () => debounce(checkForSecrets));
}

// Secrets

const secrets = JSON.parse(form?.dataset.secrets || "[]").map(([name, regex]) => [name, new RegExp(regex, "gi")]);
let debounceTimer;
function debounce(callback) {
  clearTimeout(debounceTimer);
  debounceTimer = setTimeout(callback, 250);
}

function* findSecrets(text) {
  const parts = text.length > 2 * CHECKED ? [[0, CHECKED], [text.length - CHECKED, text.length]] : [[0, text.length]];
  for (const [start, end] of parts)
    for (const [name, regex] of secrets)
      for (const match of text.slice(start, end).matchAll(regex)) {
        const offset = start + match.index + (match[1]?.length ?? 0);
        yield { name, line: text.slice(0, offset).split("\n").length, start: text.slice(offset, offset + 4) };
      }
}

function checkForSecrets() {
  const text = currentText();
  const secretsFound = [...findSecrets(text)];
  $("secrets").hidden = !secretsFound.length;
  const partly = text.length > 2 * CHECKED ? " Only the first and the last million characters were searched." : "";
  $("secrets-words").textContent =
    `${secretsFound.length === 1 ? "This looks like a secret" : `${secretsFound.length} texts look like secrets`}. Nothing was sent yet.${partly}`;
  const items = secretsFound.slice(0, 5).map((secret) => `${secret.name} in line ${secret.line}: ${secret.start}…`);
  if (secretsFound.length > 5) items.push(`and ${secretsFound.length - 5} more`);
  $("secrets-list").replaceChildren(...items.map((item) => Object.assign(document.createElement("li"), { textContent: item })));
}

$("redact")?.addEventListener("click", () => {
  const clean = (text) => secrets.reduce((result, [, regex]) => result.replace(regex, (_, prefix) => (typeof prefix === "string" ? prefix : "") + "[redacted]"), text);
  if (largeText === null) field.value = clean(field.value);
  else largeText = clean(largeText);
  checkForSecrets();
  field.focus();
});

// A link that contains the text, in the fragment, which browsers never send

async function pipeThrough(stream, bytes, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0, part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > limit) throw new Error("The text in the link is too large.");
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function encodeText(text) {
  const bytes = await pipeThrough(new CompressionStream("deflate-raw"), text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function decodeText(code) {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(await pipeThrough(new DecompressionStream("deflate-raw"), bytes, LARGE * 4));
}

$("share")?.addEventListener("click", async () => {
  const text = currentText();
  if (!text.trim()) return showStatus("Paste an error first.", true);
  const code = text.length > LARGE ? "" : await encodeText(text);
  const fits = code && code.length <= MAX_LINK;
  const secretCount = [...findSecrets(text)].length;
  const warning = secretCount ? ` It contains ${secretCount} text${secretCount === 1 ? " that looks" : "s that look"} like a secret.` : "";
  $("share-words").textContent = fits
    ? `${text.length.toLocaleString("en")} characters, a link of ${code.length.toLocaleString("en")}.${warning}`
    : "This text is too long for a link. Keep only the part around the error.";
  $("share-preview").textContent = text.slice(0, 4000) + (text.length > 4000 ? "\n…" : "");
  $("share-copy").disabled = !fits;
  $("share-copy").onclick = async () => {
    await navigator.clipboard.writeText(`${location.origin}/#t=${code}`);
    $("share-dialog").close();
    showStatus("The link was copied. It contains the whole text.");
  };
  $("share-dialog").showModal();
});
$("share-close")?.addEventListener("click", () => $("share-dialog").close());

async function readTextFromLink() {
  const code = location.hash.startsWith("#t=") ? location.hash.slice(3) : "";
  if (!form || !code) return;
  history.replaceState(null, "", "/");
  try {
    field.value = await decodeText(code);
    showStatus("This text is from the link. Nothing was sent yet: press Explain to send it.");
    checkForSecrets();
  } catch {
    showStatus("The text in the link is invalid. The link may be incomplete.", true);
  }
}
readTextFromLink();
addEventListener("hashchange", readTextFromLink);

// Copying

function showCopied(button) {
  const label = (button.dataset.words ??= button.textContent);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = label), 1500);
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
    showCopied(button);
  } catch (error) {
    showStatus(`Copying failed: ${error.message}`, true);
  }
});

function copyMarkdown() {
  const text = truncate(new Blob([currentText()]))
    .then((truncated) => send("/v1/explain", truncated.text, { Accept: "text/markdown" }))
    .then((response) => response.blob())
    .then((blob) => new Blob([blob], { type: "text/plain" }));
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
}

// Links between findings and the paste

function jumpTo(target) {
  const isMark = target.tagName === "MARK";
  for (const element of document.querySelectorAll(".here")) element.classList.remove("here");
  target.classList.add("here");
  target.scrollIntoView({ block: isMark ? "center" : "start" });
  (isMark ? target.querySelector("a") : target).focus({ preventScroll: true });
}

function scrollToFirstMatch() {
  // Scrolls only the paste, not the page.
  const paste = document.querySelector(".lit");
  const mark = paste?.querySelector("mark[id]");
  if (mark) paste.scrollTop += mark.getBoundingClientRect().top - paste.getBoundingClientRect().top - paste.clientHeight / 2;
}
scrollToFirstMatch();

document.addEventListener("click", (event) => {
  const link = event.target.closest("#answer a[href^='#']");
  const target = link && $(link.getAttribute("href").slice(1));
  if (!target) return;
  event.preventDefault();
  jumpTo(target);
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
  const current = marks.findIndex((mark) => mark.classList.contains("here"));
  jumpTo(marks[(current + step + (current < 0 && step < 0 ? 1 : 0) + marks.length) % marks.length]);
});
