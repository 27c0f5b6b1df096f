"use strict";
// What the page does beyond plain forms: keys, one vote per click, notices, and a board that keeps its place.

const TOO_SOON = 300; // milliseconds in which nobody can have judged a new pair
const TOO_SOON_SAID = "That came too soon after the new pair, so it was not counted. Please try again.";

let shownAt = -TOO_SOON;

// ---------------------------------------------------------------------------------- voting

// Each button says its keys: ← left, → right, = no difference, b both bad, 1 to 5 for grades; u undo.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  if (event.key.startsWith("Arrow") && scrollsSideways(event.target)) return;
  const button =
    event.key === "u"
      ? document.querySelector("#undo")
      : document.querySelector(`#ballot button[aria-keyshortcuts~="${CSS.escape(event.key)}"]`);
  if (!button || button.matches(":disabled")) return;
  event.preventDefault();
  button.click();
});

function scrollsSideways(element) {
  const box = element.closest("[tabindex='0']");
  return box !== null && box.scrollWidth > box.clientWidth;
}

// The second half of a double click must not vote on the pair that the first half brought.
document.addEventListener(
  "click",
  (event) => {
    if (!event.target.closest("#booth button") || performance.now() - shownAt >= TOO_SOON) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.detail < 2) say(TOO_SOON_SAID); // the half of a double click needs no word
  },
  true,
);

// Readers and keys start at the new pair.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "booth") return;
  shownAt = performance.now();
  document.body.className = document.querySelector("#booth").className;
  document.querySelector("#question").focus();
});

// On a phone, two tall images are larger side by side than below each other.
function arrange() {
  const images = [...document.querySelectorAll(".side .shown > img:only-child")];
  const tall = images.length === 2 && images.every((image) => image.naturalHeight > image.naturalWidth);
  document.querySelector("form .pair")?.classList.toggle("tall", tall);
}

document.addEventListener("load", arrange, true);
arrange();

// ---------------------------------------------------------------------------------- notices

function say(sentence) {
  const notice = document.querySelector("#notice");
  if (notice?.textContent.trim() === sentence) return;
  const line = document.createElement("p");
  line.className = "alarm";
  line.textContent = sentence;
  notice?.replaceChildren(line);
}

const UNREACHABLE = {
  get: "The server cannot be reached. The board goes on when it is back.",
  post: "The server cannot be reached. Please try again; no vote counts twice.",
};
const ODD = "The server did not answer as expected. Please try again.";

document.addEventListener("htmx:sendError", (event) => say(UNREACHABLE[event.detail.requestConfig.verb]));

// What does not come from podium, such as the error page of a proxy, must not replace the pair or the board.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr } = event.detail;
  if (!event.detail.shouldSwap || target.id === "notice") return;
  if (xhr.responseText.includes(`id="${target.id}"`)) return;
  event.detail.shouldSwap = false;
  say(ODD);
});

// The board is back.
document.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, successful } = event.detail;
  if (requestConfig.verb === "get" && successful) document.querySelector("#notice")?.replaceChildren();
});

// ---------------------------------------------------------------------------------- the board

// A new board is sorted, scrolled and focused like the old one.
let before = null;

const inBoard = (selector) => [...document.querySelectorAll(`#standing ${selector}`)];
const focusable = () => inBoard("button, [tabindex]");

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "standing" || !event.detail.shouldSwap) return;
  const sorted = document.querySelector("#standing [aria-sort]:not([aria-sort=none])");
  before = {
    sorted: sorted && [sorted.textContent, sorted.ariaSort],
    focused: focusable().indexOf(document.activeElement),
    scrolled: inBoard(".scroll").map((box) => [box.scrollLeft, box.scrollTop]),
    page: window.scrollY,
  };
});

document.addEventListener("htmx:afterSwap", () => {
  if (before === null) return;
  const { sorted, focused, scrolled, page } = before;
  before = null;
  const head = sorted && inBoard("th[aria-sort]").find((one) => one.textContent === sorted[0]);
  if (head) sortBy(head, sorted[1]);
  inBoard(".scroll").forEach((box, k) => box.scrollTo(...(scrolled[k] ?? [0, 0])));
  focusable()[focused]?.focus({ preventScroll: true });
  window.scrollTo(window.scrollX, page);
});

// ---------------------------------------------------------------------------------- links to copy

for (const button of document.querySelectorAll("button.copy")) button.hidden = false;

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const field = button.previousElementSibling;
  field.select();
  await navigator.clipboard?.writeText(field.value); // without HTTPS there is none, and the text is selected
  button.textContent = navigator.clipboard ? "Copied" : "Selected";
});
