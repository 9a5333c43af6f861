// The labelling page by keyboard. Everything it does, a link or a form of the page does as well.
"use strict";

const desk = document.getElementById("desk");
const help = document.getElementById("help");
const KEYS = "trueward-labelling-keys";

function say(words) { document.getElementById("status").textContent = words; }

function wanted() {
  try {
    return localStorage.getItem(KEYS) !== "off";
  } catch {
    return true;
  }
}

function choose(radio) {
  radio.checked = true;
  say(`Chosen: ${radio.closest("label").firstChild.nextSibling.textContent.trim()}. Enter gives the label.`);
}

function thinkAgain() {
  const again = document.getElementById("again");
  if (again && again.open) {
    again.open = false;
    document.getElementById("onward").focus();
    say("The label stays as it is.");
    return;
  }
  if (again) {
    again.open = true;
    again.querySelector("input[type=radio]").focus();
    say("Your second thought: 1, 2 or 3, and Enter.");
    return;
  }
  const last = document.getElementById("previous");
  if (!last) say("There is nothing to take back.");
  else location.assign(`${last.href}#again`);
}

function takeBack() {
  const chosen = document.querySelector("#answer input[type=radio]:checked");
  if (!chosen) return thinkAgain();
  chosen.checked = false;
  say("The choice is taken back.");
}

function goOn() {
  const answer = document.getElementById("answer");
  const again = document.getElementById("again");
  if (again && !again.open) document.getElementById("onward").click();
  else if (answer.querySelector("input[type=radio]:checked")) answer.requestSubmit();
  else say("Choose 1, 2 or 3 first.");
}

function follow(id) {
  const link = document.getElementById(id);
  if (link) link.click();
  else say(id === "previous" ? "You have labelled nothing before this." : "You have labelled nothing after this.");
}

function note() {
  const field = document.getElementById("note");
  for (let one = field.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  field.focus();
}

function showHelp() { if (!help.open) help.showModal(); }

const ACTIONS = {
  Enter: goOn, Backspace: takeBack, ArrowLeft: () => follow("previous"), ArrowRight: () => follow("next"),
  n: note, N: note, "?": showHelp,
};

function pressed(event) {
  if (event.isComposing || event.repeat || event.altKey || event.metaKey || help.open) return;
  const at = event.target;
  if (at.matches("textarea, select, input:not([type=radio], [type=checkbox])")) {
    if (event.key === "Escape") at.blur();
    else if (event.key === "Enter" && event.ctrlKey && at.form) goOn();
    return;
  }
  if (event.ctrlKey || !wanted()) return;
  if (event.key === "Enter" && at.closest("a, button, summary")) return;
  if (event.key.startsWith("Arrow") && at.matches("input[type=radio]")) return;
  const radio = document.querySelector(`#answer [data-key="${CSS.escape(event.key)}"]`);
  if (!radio && !ACTIONS[event.key]) return;
  event.preventDefault();
  if (!radio) return ACTIONS[event.key]();
  const again = radio.closest("#again");
  if (!again || again.open) choose(radio);
}

// a second press of the button is not sent; the server would take it for what it is, too
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!("once" in form.dataset)) return;
  if (form.dataset.once) event.preventDefault();
  form.dataset.once = "sent";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-once]")) form.dataset.once = "";
});

function lapse() {
  const told = document.getElementById("lapsed");
  if (!told || !told.hidden) return;
  const left = 1000 * Number(told.dataset.until) - Date.now();
  setTimeout(() => { told.hidden = false; }, Math.min(Math.max(left, 0), 2 ** 31 - 1));
}

if (desk) {
  document.addEventListener("keydown", pressed);
  for (const one of document.querySelectorAll("[data-script]")) one.hidden = false;
  document.getElementById("ask-help").addEventListener("click", showHelp);
  document.getElementById("close-help").addEventListener("click", () => help.close());
  const keys = document.getElementById("keys");
  keys.checked = wanted();
  keys.addEventListener("change", () => {
    try {
      localStorage.setItem(KEYS, keys.checked ? "on" : "off");
    } catch {
      say("This browser keeps no settings: the keys stay on.");
    }
  });
  const onward = document.getElementById("onward");
  if (location.hash === "#again") thinkAgain();
  else if (onward) onward.focus({ preventScroll: true });
  lapse();
}
