"use strict";
const byId = (id) => document.getElementById(id);
const parts = {};
let boot, seq, wait = 500;
// What proves that a page of ours asks (open.js).
let keys = "";
try { keys = JSON.parse(localStorage.getItem("openspace-pages") || "[]").slice(0, 8).join("."); } catch { /* It is refused. */ }
function fill(id, lines, empty) {
  const list = byId(id);
  list.replaceChildren(...(lines.length ? lines : [empty]).map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    if (!lines.length) item.className = "soft";
    return item;
  }));
}
function tabs(node, found) {
  if (Array.isArray(node)) node.forEach((part) => tabs(part, found));
  else if (node && typeof node === "object") {
    if (typeof node.contentId === "string") found.push(node.type + "  " + node.title);
    else Object.values(node).forEach((part) => tabs(part, found));
  }
  return found;
}
function draw() {
  fill("panes", tabs(parts.layout, []), "Nothing is open.");
  fill("terminals", Object.entries(parts.terminals || {}).map(([id, t]) => id + "  " + t.title + "  (" + t.state.replaceAll("_", " ") + ")"), "No terminal runs.");
  fill("highlights", Object.values(parts.highlights || {}).map((h) => h.path + ":" + h.ranges[0].startLine + (h.note ? "  " + h.note : "")), "Nothing is highlighted.");
}
function note(record) {
  const list = byId("activity");
  const item = document.createElement("li");
  item.className = "call";
  const failed = record.outcome !== "done";
  for (const text of [new Date(record.at).toLocaleTimeString(), record.caller.id, record.summary, failed ? record.error : (record.micros / 1000).toFixed(1) + " ms"]) {
    const cell = document.createElement("span");
    cell.textContent = text || "";
    item.append(cell);
  }
  item.lastChild.className = failed ? "failed" : "soft";
  list.querySelector(".soft:only-child")?.remove();
  list.prepend(item);
  while (list.children.length > 50) list.lastChild.remove();
}
function take(message) {
  if (message.type === "snapshot") { Object.assign(parts, message.snapshot.parts); boot = message.snapshot.boot; seq = message.snapshot.seq; }
  if (message.seq) seq = message.seq;
  if (message.type === "changed") for (const [name, patch] of Object.entries(message.patches)) {
    parts[name] = { ...parts[name], ...patch.put };
    for (const key of patch.removed || []) delete parts[name][key];
  }
  if (message.type === "call_ended") note(message.record); else draw();
}
function show(live, text) { byId("dot").className = "dot " + (live ? "live" : "lost"); byId("link").textContent = text; }
function connect() {
  const since = "?page=" + keys + (boot ? "&boot=" + boot + "&seq=" + seq : "");
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/api/socket" + since);
  socket.onopen = () => { wait = 500; show(true, "live"); };
  socket.onmessage = (event) => take(JSON.parse(event.data));
  socket.onclose = () => { show(false, "connection lost, trying again"); setTimeout(connect, wait); wait = Math.min(wait * 2, 10000); };
}
// Start a little in the past: replayed events fill the activity list and end at the present state.
fetch("/api/state", { headers: { "x-openspace-page": keys } }).then((answer) => answer.json()).then((now) => {
  Object.assign(parts, now.parts);
  boot = now.boot;
  seq = Math.max(0, now.seq - 100);
  draw();
}).finally(connect);
