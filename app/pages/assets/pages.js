// What every page does: copies what a button points at, shows the refusal of a form, and takes it away when it is sent again.
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

// a long form's button stands far below the notice; what a page asks for by itself moves nobody
document.addEventListener("htmx:afterSwap", (event) => {
  const { target, requestConfig } = event.detail;  // of a page that comes back from the history there is neither
  if (target?.id === "notice" && requestConfig?.elt.matches("form")) target.scrollIntoView({ block: "nearest" });
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
