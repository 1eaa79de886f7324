/* Keeps a page as new as what was read: the stream tells when there is something new, and the page is asked for again
   and put in place of itself. Never while nobody sees it, and never so often that it gets in the way. */
(() => {
  "use strict";
  const chip = document.getElementById("live"), island = () => document.getElementById("live-data");
  if (!chip || !island() || !window.Idiomorph) return;
  const LEAST = 2000, PART = 10, AT_LATEST = 60000, POLL = 15000, AGAIN = 60000, CUT_AFTER = 10000, PATIENCE = 30000, TICK = 1000;
  /* Over HTTP/1.1 a browser has six connections to a server, for all of its windows: so many of these listen, more only ask.
     Where they cannot agree on who does, as over plain HTTP, all only ask. */
  const SEATS = 4;
  const INSTANT = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, KEPT = "sliceboard.live", pause = document.getElementById("live-pause");
  /* A browser may refuse to keep anything: then it is for this page. */
  const keep = (text) => { try { if (text) localStorage.setItem(KEPT, text); return localStorage.getItem(KEPT); } catch { return null; } };
  let shown = JSON.parse(island().textContent);
  let source = null, leave = () => {}, opened = 0, heard = 0, cutSince = 0, asking = false, due = false, last = Date.now(), gap = LEAST, end = "";
  let paused = keep() === "paused";

  /* --- What stays as it is --- */

  const edited = (control) =>
    control.matches("select") ? [...control.options].some((one, place, all) => one.selected !== (all.some((o) => o.defaultSelected) ? one.defaultSelected : place === 0))
    : control.matches("[type=checkbox], [type=radio]") ? control.checked !== control.defaultChecked
    : "defaultValue" in control && control.value !== control.defaultValue;
  const inUse = (form) => form.contains(document.activeElement) || [...form.elements].some(edited);
  /* Rows are known by what they lead to, so that one that moves stays the same one. Around what has the focus, Idiomorph
     moves the others: it stays where it is also in browsers in which what is moved loses it. */
  const name = (root) => {
    const taken = new Map();
    for (const row of root.querySelectorAll("tbody > tr, li")) {
      const link = row.querySelector("a[href]");
      if (!link || (row.id && !row.id.startsWith("row:"))) continue;
      const place = link.getAttribute("href").replace(/\s/g, "+"), number = (taken.get(place) || 0) + 1;
      taken.set(place, number);
      row.id = `row:${number}:${place}`;
    }
  };
  const callbacks = {
    beforeNodeMorphed: (old, fresh) => {
      if (old.nodeType !== Node.ELEMENT_NODE) return true;
      if (old.isEqualNode(fresh) || old.matches("[data-later]") || (old.matches("form") && inUse(old))) return false;
      if (!old.matches(".plot")) return true;
      /* Its inside is Plotly's: what it says and where it is come anew, the drawing follows. */
      for (const name of ["aria-label", "data-at"]) if (fresh.hasAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
      return false;
    },
    /* What the reader has opened stays open, and what he has closed, closed. */
    beforeAttributeUpdated: (attribute, node) => !(attribute === "open" && node.matches("details")),
  };
  /* Another release, or the first picture of a page, comes with files that are not here; and never again and again. */
  const files = (root) => [...root.querySelectorAll("script[src], link[rel=stylesheet]")].map((one) => one.getAttribute("src") || one.getAttribute("href"));
  const isAnother = (page) => {
    const here = new Set(files(document));
    return performance.now() > AT_LATEST && files(page).some((file) => !here.has(file)) && ![...document.forms].some(inUse);
  };
  const put = (page) => {
    if (isAnother(page)) { location.reload(); return; }
    const old = document.getElementById("main"), fresh = page.getElementById("main");
    const peeks = [old, fresh].map((root) => root.querySelector("#peek")).filter(Boolean);
    peeks.forEach((peek) => peek.setAttribute("aria-live", "off"));
    [old, fresh].forEach(name);
    window.Idiomorph.morph(old, fresh, { morphStyle: "outerHTML", callbacks });
    const places = page.querySelectorAll(".side, .menu nav");
    document.querySelectorAll(".side, .menu nav").forEach((nav, number) => { if (places[number]) window.Idiomorph.morph(nav, places[number], { callbacks }); });
    document.title = page.title;
    document.dispatchEvent(new Event("sliceboard:refreshed"));
    setTimeout(() => document.getElementById("peek")?.setAttribute("aria-live", "polite"), TICK);
  };

  /* --- Asking for the page again --- */

  /* The page as it is now; nothing where there is none to be shown. */
  const ask = async (address) => {
    const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    end = answer.redirected && new URL(answer.url).pathname !== location.pathname ? "out" : answer.status === 404 ? "gone" : "";
    if (!end && !answer.ok) throw new Error(answer.status);
    return end ? "" : await answer.text();
  };
  /* Only once it stands there it is what is shown: where it cannot be put, the page grows old visibly, and asks again. */
  const renew = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html"), next = page.getElementById("live-data");
    if (!next) return;
    const told = JSON.parse(next.textContent);
    put(page);
    shown = told;
  };
  const refresh = async () => {
    const address = location.href, began = performance.now();
    let text = "", done = false;
    asking = true;
    due = false;
    try {
      try {
        text = await ask(address);
        cutSince = 0;
      } catch {
        cutSince ||= Date.now();
        return;
      }
      if (address !== location.href) due = true;
      else if (text && !document.hidden && !paused) renew(text);
      done = true;
    } finally {
      asking = false;
      last = Date.now();
      due ||= !done;
      gap = done ? Math.max(LEAST, PART * (performance.now() - began)) : POLL;
      show();
    }
  };
  const awake = () => !paused && !document.hidden && end !== "out";

  /* --- Being told --- */

  const told = (event) => {
    const news = JSON.parse(event.data), known = shown.generations;
    heard = Date.now();
    if (cutSince) { cutSince = 0; gap = LEAST; }
    const same = news.clusters.length === Object.keys(known).length && news.clusters.every((one) => known[one.name] === one.generation);
    if (same) read(news);
    if (!same || news.stale !== shown.stale) due = true;
    show();
  };
  /* Nothing has changed since: what is shown is as new as that. */
  const read = (news) => {
    shown.as_of = news.as_of;
    const at = new Map(news.clusters.map((one) => [one.name, one.observed_at]));
    for (const node of document.querySelectorAll("[data-read-of] time")) date(node, at.get(node.closest("[data-read-of]").dataset.readOf));
    for (const node of document.querySelectorAll("#main .foot [data-as-of] time")) date(node, news.as_of);
  };
  const date = (node, instant) => {
    if (!instant || node.dateTime === instant) return;
    const text = `${new Date(instant).toISOString().slice(0, 19).replace("T", " ")} UTC`;
    node.dateTime = instant;
    node.title = text;
    if (!node.dataset.grows) node.textContent = node.textContent.replace(INSTANT, text);
  };
  const open = () => {
    source = new EventSource(shown.stream);
    for (const type of ["snapshot", "freshness"]) source.addEventListener(type, told);
    /* It comes again by itself, unless it was refused. Whether there is a server at all, the page is asked for to know. */
    source.addEventListener("error", () => {
      if (heard) due = true;
      heard = 0;
      if (source?.readyState === EventSource.CLOSED) stop();
    });
  };
  const seated = (number = 0) => navigator.locks.request(`sliceboard.stream.${number}`, { ifAvailable: true }, (seat) => {
    if (!seat && number + 1 < SEATS) seated(number + 1);
    if (!seat || source || !awake()) return null;
    open();
    return new Promise((done) => { leave = done; });
  });
  const listen = () => {
    if (source || !awake() || !navigator.locks) return;
    opened = Date.now();
    seated();
  };
  const stop = () => { source?.close(); source = null; heard = 0; leave(); };

  /* --- What is said of it --- */

  const show = () => {
    const seconds = shown.as_of ? (Date.now() - ahead - Date.parse(shown.as_of)) / 1000 : null;
    const state = paused ? "paused" : end ? end : cutSince && Date.now() - cutSince > CUT_AFTER ? "cut"
      : seconds === null ? "never" : seconds > shown.limit ? "old" : "fresh";
    if (chip.dataset.now !== state) {
      chip.dataset.now = state;
      for (const one of chip.querySelectorAll("[data-state]")) one.hidden = one.dataset.state !== state;
      pause.setAttribute("aria-pressed", String(paused));
    }
    const time = chip.querySelector("time");
    time.hidden = seconds === null;
    date(time, shown.as_of);
    const old = document.getElementById("grown-old");
    if (old && shown.as_of) old.dataset.asOf = shown.as_of;
    for (const note of document.querySelectorAll("[data-outdated]")) note.hidden = !outdated() || note.parentElement.querySelector("[data-when]") !== null;
    document.dispatchEvent(new Event("sliceboard:tick"));
  };
  /* What is loaded after its page is asked for once, and stays as it came. */
  const stamp = () => JSON.stringify(shown.generations), asked = { of: stamp(), at: Date.now() };
  const outdated = () => stamp() !== asked.of || Date.now() - asked.at > shown.limit * 1000;
  const ahead = Date.now() - Date.parse(JSON.parse(document.getElementById("clock").textContent).now);

  const tick = () => {
    if (document.hidden) return;
    if (awake()) {
      const now = Date.now(), since = now - last;
      /* A connection may be dead without a word. */
      if (source && now - Math.max(opened, heard) > AT_LATEST) stop();
      if (!source && now - opened > AGAIN) listen();
      if (since > (heard ? AT_LATEST : POLL)) due = true;
      if (due && !asking && since >= gap) refresh();
    }
    show();
  };
  const wake = () => {
    /* He may have signed in again elsewhere. */
    if (end === "out" && !asking && !paused && !document.hidden) { opened = 0; refresh(); }
    if (awake()) listen(); else stop();
    show();
  };

  pause.addEventListener("click", () => {
    paused = !paused;
    keep(paused ? "paused" : "live");
    wake();
  });
  addEventListener("storage", (event) => { if (event.key === KEPT) { paused = event.newValue === "paused"; wake(); } });
  document.addEventListener("visibilitychange", wake);
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => { if (event.persisted) { due = true; wake(); } });
  chip.hidden = false;
  setInterval(tick, TICK);
  wake();
})();
