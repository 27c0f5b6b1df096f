"use strict";
// Keys vote: ← left, → right, = no difference, b both bad, u undo.

const KEYS = { ArrowLeft: "left", ArrowRight: "right", "=": "tie", b: "both bad" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  const button =
    event.key === "u" ? document.querySelector("#undo") : document.querySelector(`#ballot button[value="${KEYS[event.key]}"]`);
  if (!button || button.matches(":disabled")) return;
  event.preventDefault();
  button.click();
});

// The server cannot be reached: the pair stays, so that the vote can be tried again.
document.addEventListener("htmx:sendError", () => {
  const notice = document.querySelector("#notice");
  if (!notice) return;
  notice.className = "alarm";
  notice.setAttribute("role", "alert");
  notice.textContent = "The server cannot be reached, so nothing was saved. Please try again.";
});

// After a vote, readers and keys start at the new pair.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "booth") document.querySelector("#question")?.focus({ preventScroll: true });
});
