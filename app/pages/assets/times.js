// Puts the reader's own time beside each time in UTC, where the two differ.
"use strict";

function local(at) {
  const two = (number) => String(number).padStart(2, "0");
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return day === at.toISOString().slice(0, 10) ? clock : `${day} ${clock}`;
}

function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) continue;
    time.dataset.local = "";
    const note = document.createElement("span");
    note.className = "local";
    note.textContent = ` (${local(at)} here)`;
    time.append(note);
  }
}

localise(document);
// what htmx and the overview put into the page later
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) if (addedNodes.length && target.isConnected) localise(target);
}).observe(document.body, { childList: true, subtree: true });
