"use strict";

// The page reads without this script. With it, its copy buttons work.

// say tells a person who does not see the screen what has happened.
function say(text) {
  document.getElementById("said").textContent = text;
}

// select marks a text, so that a person can copy it where a browser does not let the page do so.
function select(element) {
  if (element instanceof HTMLInputElement) {
    element.focus();
    element.select();
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  let done = "Copied";
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
  } catch {
    select(source); // the clipboard is closed to pages that are neither https nor of this machine
    done = "Selected";
  }
  button.textContent = done;
  say(done === "Copied" ? "Copied." : "Selected: copy it with your keyboard.");
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
