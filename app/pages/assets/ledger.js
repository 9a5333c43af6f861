// Keeps what is blank out of the address, so that a link to share is as short as what it asks; selects all of a page.
"use strict";

document.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id !== "filters") return;
  for (const [name, value] of [...event.detail.formData.entries()]) {
    if (value === "" || (name === "kind" && value === "verdict")) event.detail.formData.delete(name);
  }
});

function offer() {
  for (const button of document.querySelectorAll("[data-select]")) button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-select]");
  if (!button) return;
  const boxes = [...document.querySelectorAll("#bulk input[name=record]")];
  const all = boxes.every((box) => box.checked);
  for (const box of boxes) box.checked = !all;
  document.querySelector("#bulk input[value=selected]").checked = true;
});
document.addEventListener("htmx:load", offer);
offer();
