// Puts fresh parts of a page (those with data-live) in place of what is shown, where they changed and nobody is at them.
"use strict";

const laid = new WeakMap();

function held(part) {
  const chosen = document.getSelection();
  const inside = (node) => node && node !== part && part.contains(node);
  const begun = [...part.querySelectorAll("input, textarea")].some((field) => field.value !== field.defaultValue);
  return begun || inside(document.activeElement) || (chosen && !chosen.isCollapsed && inside(chosen.anchorNode));
}

// what somebody opened, and how far they scrolled, stays
function replaced(present, part) {
  const opened = [...present.querySelectorAll("details")].map((one) => one.open);
  const places = [...present.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
  present.replaceChildren(...part.childNodes);
  present.querySelectorAll("details").forEach((one, at) => { one.open = opened[at] || one.open; });
  present.querySelectorAll(".scroll").forEach((one, at) => { if (places[at]) one.scrollLeft = places[at]; });
}

function put(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  let changed = false;
  for (const part of fresh.querySelectorAll("[data-live]")) {
    const present = document.getElementById(part.id);
    const words = part.innerHTML;
    if (!present || (laid.get(present) ?? present.innerHTML) === words || held(present)) continue;
    replaced(present, part);
    laid.set(present, words);
    changed = true;
  }
  return changed;
}
