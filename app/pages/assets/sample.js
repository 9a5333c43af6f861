// Goes to the next and the previous record of the search by key. Each is a link of the page as well.
"use strict";

const KEYS = "trueward-record-keys";
const WAYS = { j: "older", ArrowRight: "older", k: "newer", ArrowLeft: "newer" };
const box = document.getElementById("keys");

function wanted() {
  try {
    return localStorage.getItem(KEYS) !== "off";
  } catch {
    return true;
  }
}

function pressed(event) {
  const way = WAYS[event.key];
  if (!way || event.repeat || event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // in a field a letter is a letter, and in a box that scrolls an arrow scrolls
  if (event.target.closest("input:not([type=checkbox]), select, textarea, .inert, .scroll, pre") || !wanted()) return;
  const link = document.getElementById(way);
  if (link) link.click();
}

for (const one of document.querySelectorAll("[data-script]")) one.hidden = false;
box.checked = wanted();
box.addEventListener("change", () => {
  try {
    localStorage.setItem(KEYS, box.checked ? "on" : "off");
  } catch {
    // a browser that keeps no settings keeps the keys on
  }
});
document.addEventListener("keydown", pressed);
