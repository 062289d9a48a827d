// The page's end of the line to its kernel: the state of one explorer comes from there, and goes back when it is moved.
// Jupyter's own end of it is 4.6 MB in 90 files; a class would wait for that, and one explorer needs little of it.
const { kernel, explorer } = JSON.parse(document.getElementById("line").textContent);
const here = document.getElementById("here");
const notice = document.getElementById("notice");
const session = crypto.getRandomValues(new Uint32Array(4)).join("-");
const values = {};
const watchers = new Map();
const unsent = new Set(); // names of traits that were moved and not sent yet
let awaited = ""; // the message that the kernel has not done yet: what is moved meanwhile goes with the next
let count = 0;
let started = false;
let socket;

const model = {
  alone: true,
  get: (name) => values[name],
  set(name, value) {
    if (values[name] === value) return;
    unsent.add(name);
    change(name, value);
  },
  save_changes: flush,
  on(name, watcher) {
    watchers.set(name, (watchers.get(name) ?? new Set()).add(watcher));
  },
  off: (name, watcher) => watchers.get(name)?.delete(watcher),
};

function change(name, value) {
  values[name] = value;
  for (const watcher of watchers.get(`change:${name}`) ?? []) watcher();
}

/** A message in Jupyter's first binary form: how many places follow, where each part begins, where the last ends, the parts. */
function packed(parts) {
  const texts = parts.map((part) => new TextEncoder().encode(part));
  const places = [8 * (texts.length + 2)];
  for (const text of texts) places.push(places.at(-1) + text.length);
  const bytes = new Uint8Array(places.at(-1));
  const view = new DataView(bytes.buffer);
  [places.length, ...places].forEach((place, i) => view.setBigUint64(8 * i, BigInt(place), true));
  texts.forEach((text, i) => bytes.set(text, places[i]));
  return bytes;
}

function unpacked(message) {
  const view = new DataView(message);
  const place = (i) => Number(view.getBigUint64(8 * i, true));
  const parts = Array.from({ length: place(0) - 1 }, (_, i) => message.slice(place(i + 1), place(i + 2)));
  const [header, parent, , content] = parts.slice(1, 5).map((part) => JSON.parse(new TextDecoder().decode(part)));
  return { header, parent, content, buffers: parts.slice(5).map((part) => new DataView(part)) };
}

function send(data) {
  const id = `${session}_${(count += 1)}`;
  const header = { msg_id: id, msg_type: "comm_msg", session, username: "", date: new Date().toISOString(), version: "5.3" };
  socket.send(packed(["shell", ...[header, {}, {}, { comm_id: explorer, data }].map((part) => JSON.stringify(part))]));
  return id;
}

function flush() {
  if (awaited || !unsent.size || socket.readyState !== WebSocket.OPEN) return;
  const state = Object.fromEntries([...unsent].map((name) => [name, values[name]]));
  unsent.clear();
  awaited = send({ method: "update", state, buffer_paths: [] });
}

function take({ header, parent, content, buffers }) {
  if (header.msg_type === "status" && content.execution_state === "idle" && parent.msg_id === awaited) {
    awaited = "";
    flush();
  }
  if (header.msg_type !== "comm_msg" || content.comm_id !== explorer || content.data.method !== "update") return;
  const { state, buffer_paths: paths = [] } = content.data;
  paths.forEach((path, i) => {
    const last = path.at(-1);
    path.slice(0, -1).reduce((inside, key) => inside[key], state)[last] = buffers[i];
  });
  for (const [name, value] of Object.entries(state)) {
    if (!unsent.has(name)) change(name, value); // a hand that moves it knows better than what it was a moment ago
  }
  if (!started) start();
}

async function start() {
  started = true;
  const style = document.createElement("style");
  style.textContent = values._css;
  document.head.append(style);
  const address = URL.createObjectURL(new Blob([values._code], { type: "text/javascript" }));
  try {
    (await import(address)).default.render({ model, el: here });
    notice.textContent = "";
  } catch (error) {
    console.error(error);
    notice.textContent = `This page could not start (${error.message}): open it in a newer browser.`;
  }
}

function connect() {
  const address = new URL(`api/kernels/${kernel}/channels?session_id=${session}`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  socket = new WebSocket(address, "v1.kernel.websocket.jupyter.org");
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => take(unpacked(data));
  socket.onopen = () => {
    awaited = "";
    if (!started) return send({ method: "request_state" });
    notice.textContent = "";
    flush();
  };
  socket.onclose = again;
}

/** The line is cut: go on with the same kernel as soon as it can be reached, unless it has ended. */
async function again() {
  notice.textContent = "The connection is lost; trying again …";
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const found = await fetch(`api/kernels/${kernel}`).catch(() => undefined);
  if (found?.ok) return connect();
  if (!found) return again();
  notice.innerHTML = 'This page was away for too long and has ended: <a href="">start a new one</a>.';
}

addEventListener("pagehide", () => {
  socket.onclose = null;
  navigator.sendBeacon(`voila/api/shutdown/${kernel}`);
});
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

connect();
