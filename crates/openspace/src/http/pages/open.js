"use strict";
// What only pages of this address can read: a cookie would reach every port of it. One for each space that was
// opened here, the newest first.
const name = "openspace-pages", most = 8, key = "{{key}}";
let kept = [];
try { kept = JSON.parse(localStorage.getItem(name)); } catch { /* Nobody kept anything, or not we. */ }
if (!Array.isArray(kept)) kept = [];
try {
  localStorage.setItem(name, JSON.stringify([key, ...kept.filter((one) => one !== key)].slice(0, most)));
  location.replace("/");
} catch {
  document.querySelector("p").textContent =
    "This browser keeps nothing for pages of this address, which the space needs. Allow it, and open a new link.";
}
