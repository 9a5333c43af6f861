// Keeps what is blank out of the address, so that a link to share is as short as what it asks.
"use strict";

document.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id !== "filters") return;
  for (const [name, value] of [...event.detail.formData.entries()]) {
    if (value === "" || (name === "kind" && value === "verdict")) event.detail.formData.delete(name);
  }
});
