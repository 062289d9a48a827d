// The bets of a class. A student's browser sends them; that of the instructor, who has the key, shows what the class says.
(() => {
  "use strict";
  const STORE = "bflo-class"; // { code, token, waiting: { number: answer }, done: { number: words } }
  const KEY = "bflo-class-key";
  const BETS = "bflo-bets"; // where the bets of the course keep first answers

  /** What this browser keeps under a name; some keep nothing. */
  function load(name) {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null;
    }
  }

  function save(name, value) {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // then it holds for this page
    }
  }

  function make(tag, kind, text = "", ...children) {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    element.textContent = text;
    element.append(...children);
    return element;
  }

  function button(text, action) {
    const element = make("button", "class-button", text);
    element.type = "button";
    element.addEventListener("click", action);
    return element;
  }

  /** The bets on this page: the place of each, by its number. */
  function places() {
    const found = new Map();
    for (const heading of document.querySelectorAll(".slide :is(h2, h3)")) {
      const [, number] = heading.textContent.match(/Exercise (\d+\.\d+) ·/) ?? [];
      if (number) found.set(number, heading.parentElement.lastElementChild.previousElementSibling); // before the notes
    }
    for (const place of document.querySelectorAll("[data-bet]")) found.set(place.dataset.bet, place);
    for (const place of document.querySelectorAll('.bflo-alive[data-explorer="bet"]')) {
      const number = JSON.parse(place.querySelector("script")?.textContent ?? "{}")._about?.facts.number;
      if (number) found.set(number, place);
    }
    return found;
  }

  /** A small card in the corner of the page, with a line that is always seen and what opens below it. */
  function makeCard(kind) {
    const line = make("span", "class-line");
    line.setAttribute("role", "status");
    const more = make("div", "class-more");
    const card = make("details", `bflo class-card ${kind}`, "", make("summary", "", "", line), more);
    document.body.append(card);
    return { card, more, say: (words) => line.textContent !== words && (line.textContent = words) };
  }

  /** Links to the bets of these pages. */
  async function list(place) {
    try {
      const links = Object.entries(await (await fetch("/class/bets.json")).json()).map(([number, address]) => {
        const link = make("a", "", number);
        link.href = address;
        return link;
      });
      if (links.length) place.append(make("p", "class-links", "Bets: ", ...links));
    } catch {
      // then they can be found by reading
    }
  }

  // The student

  function study() {
    const mine = { code: "", token: "", waiting: {}, done: {}, ...load(STORE) };
    const { card, more, say } = makeCard("class-student");
    let pause = 1000;
    let busy = false;
    let timer = 0;
    if (!/^[0-9a-f]{32}$/.test(mine.token)) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      mine.token = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    }

    /** Take part in the class with this code; what was sent to another one is not known here. */
    function join(code) {
      code = code.trim().toUpperCase();
      if (code !== mine.code) mine.done = {};
      mine.code = code;
      card.open = !code;
      save(STORE, mine);
      for (const [number, { answer }] of Object.entries(load(BETS) ?? {})) {
        if (places().has(number)) wish(number, answer); // first answers that were given before the code
      }
      send();
    }

    function wish(number, answer) {
      if (typeof answer === "string" && !mine.done[number]) mine.waiting[number] ??= answer;
      save(STORE, mine);
    }

    /** Send what waits, one bet after the other; what could not be sent is kept, and sent again later. */
    async function send() {
      const [number] = Object.keys(mine.waiting);
      if (busy || !mine.code || !number) return tell();
      busy = true;
      clearTimeout(timer);
      const vote = { class: mine.code, bet: number, answer: mine.waiting[number], browser: mine.token };
      let reply = { outcome: "later", words: "No connection: your bet is kept here, and sent again." };
      try {
        const headers = { "Content-Type": "application/json" };
        const given = { method: "POST", headers, body: JSON.stringify(vote), signal: AbortSignal.timeout(10000) };
        reply = await (await fetch("/vote", given)).json();
      } catch {
        // no server, or not ours
      }
      busy = false;
      if (reply.outcome === "later") {
        pause = Math.min(2 * pause, 30000);
        timer = setTimeout(send, pause * (0.5 + Math.random())); // not all of a class at once
        return tell(`${number}: ${reply.words}`);
      }
      if (reply.outcome === "code") {
        mine.code = "";
        card.open = true;
        save(STORE, mine);
        return tell(reply.words);
      }
      pause = 1000;
      mine.done[number] = reply.words;
      delete mine.waiting[number];
      save(STORE, mine);
      tell(`${number}: ${reply.words}`);
      if (Object.keys(mine.waiting).length) send();
    }

    function tell(words = "") {
      card.dataset.state = words ? "said" : "";
      say(words || (mine.code ? `Class ${mine.code}: your bets count.` : "Does your class bet? Type its code."));
    }

    const input = make("input", "class-code");
    input.setAttribute("aria-label", "Code of the class");
    Object.assign(input, { maxLength: 8, autocomplete: "off", spellcheck: false, autocapitalize: "characters" });
    const enter = make("button", "class-button", "Join");
    const form = make("form", "class-join", "", input, enter);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim()) join(input.value);
    });
    more.append(form, make("p", "", "Nobody is named: your browser sends your first answers, and nothing else."));
    card.addEventListener("toggle", () => card.open && list(more), { once: true });
    document.addEventListener("bflo-bet", ({ detail }) => {
      wish(detail.number, detail.answer);
      if (!mine.code) card.open = true;
      send();
    });
    addEventListener("online", send);

    const address = new URL(location);
    const given = address.searchParams.get("class");
    if (given) {
      address.searchParams.delete("class");
      history.replaceState(history.state, "", address);
    }
    input.value = given ?? mine.code;
    join(given ?? mine.code);
  }

  // The instructor

  function teach(key) {
    const isOwnPage = document.body.classList.contains("class-page");
    const headers = { "Class-Key": key };
    const shown = new Map(); // what draws each bet, by its number
    const { card, more, say } = isOwnPage ? { say() {} } : makeCard("class-teacher");

    /** A histogram of one bet, with its buttons; it is drawn again when numbers change. */
    function histogram(number, { options }, place) {
      const count = make("p", "class-count");
      const heard = make("p", "bflo-live");
      heard.setAttribute("aria-live", "polite");
      const bars = options.map((option) => {
        const bar = make("span", "class-bar");
        const track = make("td", "class-track", "", bar);
        const [mark, value] = [make("span", "class-mark"), make("td", "class-value")];
        const name = make("th", "", "", mark, option);
        name.scope = "row";
        return { bar, value, mark, row: make("tr", "", "", name, track, value) };
      });
      const table = make("table", "class-bars", "", make("tbody", "", "", ...bars.map(({ row }) => row)));
      table.setAttribute("aria-label", `Bets of the class on ${number}`);
      const closes = button("", () => change(number, closes.dataset.to));
      const reveals = button("", () => change(number, reveals.dataset.to));
      const box = make("div", "bflo class-bet", "", count, table, make("p", "class-do", "", closes, reveals), heard);
      if (place.matches("[data-bet]")) place.append(box);
      else place.after(box);
      let spoken = 0;
      return ({ state, counts, right }) => {
        const all = counts.reduce((sum, one) => sum + one, 0);
        const most = Math.max(1, ...counts);
        const share = (n) => (all ? `${n} · ${Math.round((100 * n) / all)} %` : "0");
        box.dataset.state = state;
        count.textContent = `${all} ${all === 1 ? "bet" : "bets"}${{ open: "", closed: ", closed", revealed: ", revealed" }[state]}`;
        bars.forEach(({ bar, value, mark, row }, i) => {
          bar.style.width = `${(100 * counts[i]) / most}%`;
          value.textContent = share(counts[i]);
          mark.textContent = i === right ? "✓" : "";
          row.className = i === right ? "class-right" : "";
        });
        [closes.textContent, closes.dataset.to] = state === "open" ? ["Close this bet", "closed"] : ["Open it again", "open"];
        [reveals.textContent, reveals.dataset.to] = state === "revealed" ? ["Hide the answer", "closed"] : ["Reveal", "revealed"];
        const words = `${number}: ${count.textContent}; ${options.map((option, i) => `${option} ${counts[i]}`).join(", ")}${right === null ? "" : `; right is ${options[right]}`}.`;
        if (heard.textContent !== words && Date.now() - spoken > 5000) {
          spoken = Date.now(); // not with every single bet
          heard.textContent = words;
        }
      };
    }

    async function change(bet, state) {
      const given = { method: "POST", headers: { ...headers, "Content-Type": "application/json" } };
      try {
        await fetch("/class/state", { ...given, body: JSON.stringify({ bet, state }) });
      } finally {
        look();
      }
    }

    function draw({ class: code, addresses, trouble, bets }) {
      const where = addresses[0].replace(/^http:..|.$/g, "");
      const problem = trouble ? ` ${trouble}: votes are kept in memory.` : "";
      say(`Bet at ${where} with the code ${code}.${problem}`);
      if (isOwnPage) {
        document.querySelector("main").hidden = false;
        const how = document.querySelector(".class-how");
        how.replaceChildren("Bet at ", make("strong", "", where), " with the code ", make("strong", "class-big", code), problem);
        for (const link of document.querySelectorAll("nav a")) {
          const [number] = link.textContent.split(" ");
          const all = bets[number].counts.reduce((sum, one) => sum + one, 0);
          link.textContent = all ? `${number} (${all})` : number;
        }
      }
      let isNew = false;
      for (const [number, place] of places()) {
        if (!bets[number]) continue;
        if (!shown.has(number)) shown.set(number, histogram(number, bets[number], place)), (isNew = true);
        shown.get(number)(bets[number]);
      }
      if (isNew) dispatchEvent(new Event("resize")); // slides fit their words to the room
    }

    async function look() {
      try {
        const answer = await fetch("/class/state", { headers, cache: "no-store" });
        if (answer.status === 403) return forget();
        draw(await answer.json());
      } catch {
        say("No connection to the server.");
      }
    }

    /** The key is that of another day: this is a browser like all others. */
    function forget() {
      clearInterval(timer);
      save(KEY, null);
      card?.remove();
      if (isOwnPage) document.querySelector(".class-how").textContent = "This key is not known here: open the address that the terminal shows.";
      else study();
    }

    /** What the speaker may read, and nobody else gets. */
    async function notes() {
      const asides = document.querySelectorAll(".slide > .notes");
      if (!asides.length) return;
      const page = location.pathname.endsWith("/") ? `${location.pathname}index.html` : location.pathname;
      const answer = await fetch(`/class/notes${page}`, { headers });
      if (answer.ok) (await answer.json()).forEach((text, i) => asides[i] && (asides[i].innerHTML = text));
    }

    if (more) {
      const link = make("a", "", "All bets of the class");
      link.href = "/class";
      more.append(link);
      list(more);
    }
    const timer = setInterval(() => document.hidden || look(), 1000);
    look();
    notes();
  }

  if (location.pathname.startsWith("/class") && location.hash.length > 1) {
    save(KEY, location.hash.slice(1));
    history.replaceState(null, "", location.pathname); // nobody reads it from the projector
  }
  const key = load(KEY);
  if (key) teach(key);
  else if (!location.pathname.startsWith("/class")) study();
})();
