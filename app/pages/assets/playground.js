// Fills the form from a shared link, which is read here alone, as text: nothing is sent until somebody presses the button.
// What was said of the last sample goes when another is sent, so that no refusal stands beside it.
"use strict";

const FIELDS = ["judge", "prompt", "response", "reference", "reference_is", "params", "more"];
const LONGEST = 16000;

function shared() {
  const packed = location.hash.slice(1);
  if (!packed || packed.length > LONGEST || !/^[A-Za-z0-9_-]+$/.test(packed)) return null;
  try {
    const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return state && typeof state === "object" ? state : null;
  } catch {
    return null;
  }
}

function fill() {
  const state = shared();
  if (!state) return;
  const form = document.getElementById("playground");
  for (const name of FIELDS) {
    const value = typeof state[name] === "string" ? state[name] : { judge: "verifier:math", reference_is: "text" }[name] || "";
    const field = form.elements[name];
    if (name === "judge" && ![...field.options].some((one) => one.value === value)) field.add(new Option(value, value));
    field.value = value;
  }
  if (state.more) form.querySelector("details").open = true;
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "playground") document.getElementById("result").replaceChildren();
});
addEventListener("hashchange", fill);
fill();
