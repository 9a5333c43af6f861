// A run's page: arrow keys walk along the points of a figure, whose values stand below it; the page is kept fresh.
"use strict";

const OFTEN_S = 10;
const SELDOM_S = 60;
const QUIET = 12;
const follow = document.getElementById("follow");
const followed = document.getElementById("followed");
let quiet = 0;
let timer = null;

function tell(spot) {
  const readout = spot.closest("figure.walk").querySelector(".readout");
  readout.textContent = spot.querySelector("title").textContent.split("\n").join(" · ");
}

function spots(spot) {
  return [...spot.closest("figure.walk").querySelectorAll(".spots a")];
}

document.addEventListener("keydown", (event) => {
  const spot = event.target.closest && event.target.closest(".spots a");
  if (!spot || event.altKey || event.ctrlKey || event.metaKey) return;
  const every = spots(spot);
  const at = every.indexOf(spot);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: every.length - 1, PageUp: at - 10, PageDown: at + 10 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = every[Math.min(Math.max(to, 0), every.length - 1)];
  spot.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
});

for (const kind of ["focusin", "pointerover"]) {
  document.addEventListener(kind, (event) => {
    const spot = event.target.closest && event.target.closest(".spots a");
    if (spot) tell(spot);
  });
}

async function fresh() {
  timer = null;
  if (document.visibilityState === "visible") {
    try {
      // what changed is compared once: it is the dear part of the page
      const address = new URL(location.href);
      address.searchParams.delete("since");
      const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      quiet = put(await answer.text()) ? 0 : quiet + 1;
      followed.textContent = quiet < QUIET ? "Live." : "Live; nothing new for a while.";
    } catch {
      followed.textContent = "Not live: the service does not answer. Trying again.";
    }
  }
  wait();
}

// less often where nothing happens
function wait() {
  if (follow.textContent === "Pause") timer = setTimeout(fresh, 1000 * (quiet < QUIET ? OFTEN_S : SELDOM_S));
}

follow.addEventListener("click", () => {
  clearTimeout(timer);
  const going = follow.textContent === "Pause";
  follow.textContent = going ? "Go on" : "Pause";
  followed.textContent = going ? "Paused." : "Live.";
  wait();
});

follow.parentElement.hidden = false;
followed.textContent = "Live.";
wait();
