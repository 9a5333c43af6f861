// What every page does: copies what a button points at, and takes a refusal away when its form is sent again.
"use strict";

async function copied(text) {
  if (navigator.clipboard && window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // browsers keep the clipboard from pages on plain HTTP; what is selected may still be copied
  const held = document.createElement("textarea");
  held.value = text;
  held.className = "offscreen";
  document.body.append(held);
  held.select();
  const done = document.execCommand("copy");
  held.remove();
  if (!done) throw new Error("not copied");
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.matches("form")) document.getElementById("notice").replaceChildren();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const words = button.dataset.words || button.textContent;
  button.dataset.words = words;
  try {
    await copied(source.href || source.value || source.textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy by hand";
  }
  setTimeout(() => { button.textContent = words; }, 2000);
});
