/* Sliceboard's own script. Every page is whole without it: it draws figures, walks the card wall, keeps the theme. */
(() => {
  "use strict";
  const root = document.documentElement;
  const written = (id) => document.getElementById(id)?.textContent;
  const island = (id) => JSON.parse(written(id));
  /* Those are the browser's own. */
  const chorded = (event) => event.altKey || event.ctrlKey || event.metaKey;
  /* How each picture on the page is drawn. */
  const pictures = new Map();
  const redraw = () => pictures.forEach((draw) => draw());

  /* A figure names tokens ("var(--team-1)"); here they become the colours of the theme in force. */
  const probe = document.body.appendChild(Object.assign(document.createElement("i"), { hidden: true }));
  const colour = (name) => { probe.style.color = name; return getComputedStyle(probe).color; };
  const paint = (x) =>
    typeof x === "string" ? (!x.startsWith("var(--") ? x : x === "var(--font)" ? getComputedStyle(document.body).fontFamily : colour(x))
    : Array.isArray(x) ? x.map(paint)
    : x && typeof x === "object" ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, paint(v)])) : x;
  const merge = (a, b) => {
    const out = { ...a };
    for (const [k, v] of Object.entries(b || {})) out[k] = v && typeof v === "object" && !Array.isArray(v) ? merge(out[k] || {}, v) : v;
    return out;
  };

  /* A label is drawn where it fits: the long form, else the short one, else cut, else none. Plotly reads HTML. */
  const pen = document.createElement("canvas").getContext("2d");
  const plain = (s) => s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const label = (forms, room) => {
    const fits = forms.find((s) => pen.measureText(s).width <= room);
    if (fits !== undefined) return plain(fits);
    let s = forms[forms.length - 1];
    while (s.length > 3 && pen.measureText(s + "…").width > room) s = s.slice(0, -1);
    return room > 28 && s.length > 3 ? plain(s + "…") : "";
  };
  const fit = (node, data, layout) => {
    const range = layout.xaxis.range, margin = layout.margin;
    const scale = (node.clientWidth - margin.l - margin.r) / (range[1] - range[0]);
    pen.font = "11px " + getComputedStyle(document.body).fontFamily;
    return data.map((trace) => !trace.meta ? trace : { ...trace, text: trace.x.map((x, i) => label(trace.meta.forms[i], x * scale - 12)) });
  };

  const config = { displayModeBar: false, scrollZoom: false, doubleClick: "reset" };
  const show = (node, make) => {
    const draw = () => {
      const { data, layout } = make(node.clientWidth);
      /* What the reader has zoomed to stays so when there are new numbers. A finger scrolls the page and zooms nothing. */
      const dragmode = matchMedia("(pointer: fine)").matches && layout.dragmode;
      window.Plotly.react(node, paint(data), paint({ uirevision: "kept", ...layout, dragmode }), config);
    };
    node.textContent = "";
    pictures.set(node, draw);
    draw();
    return draw;
  };

  const drawn = new WeakMap();
  const figures = () => {
    for (const node of window.Plotly ? document.querySelectorAll("[data-figure]") : []) {
      const text = written(node.dataset.figure);
      if (drawn.get(node) === text) continue;
      drawn.set(node, text);
      if (pictures.has(node)) { pictures.get(node)(); continue; }
      show(node, (width) => {
        const figure = island(node.dataset.figure), layout = width < 640 ? merge(figure.layout, figure.narrow) : figure.layout;
        return { data: fit(node, figure.data, layout), layout };
      });
      node.on("plotly_click", (event) => { const target = event.points[0].customdata; if (target) location.href = target; });
    }
  };
  figures();

  /* The card wall: one heat map. Columns (nodes) are folded into bands, so that a cell stays big enough to see and to hit. */
  const wall = document.getElementById("wall");
  if (wall && window.Plotly) {
    const GAP = 3, peek = document.getElementById("peek"), said = document.getElementById("wall-said");
    let groups, words, base, columns, kept, fold = 100, at = -1, bands = [], loading;
    const read = () => {
      const was = columns;
      kept = written("wall-data");
      ({ groups, words, layout: base } = JSON.parse(kept));
      columns = groups.flatMap((group) => group.columns.map((column) => ({ ...column, group })));
      /* A node with cards of two kinds has two columns of one name. */
      const ref = at >= 0 ? was[at].ref : wall.dataset.at;
      if (!(at >= 0 && columns[at]?.ref === ref)) at = ref ? columns.findIndex((column) => column.ref === ref) : -1;
    };
    read();

    /* Small groups stand side by side, as in columns; a name has the room that its group has. */
    const arrange = (width) => {
      fold = Math.max(20, Math.min(columns.length, width >= 960 ? 100 : width >= 600 ? 50 : 40));
      pen.font = "11px " + getComputedStyle(document.body).fontFamily;
      bands = [];
      const step = Math.floor((fold + 1) / Math.max(1, Math.floor(width / 340)));
      let from = 0, x = 0, y = 0, tallest = 0;
      for (const group of groups) {
        for (let start = 0; start < group.columns.length; start += fold) {
          const count = Math.min(fold, group.columns.length - start), first = group.columns[start].name, last = group.columns[start + count - 1].name;
          const name = `${first}${count > 1 ? " – " + last : ""}  ·  ${group.name}`;
          const room = step * Math.ceil((count + 1) / step);
          if (x && x + room - 1 > fold) { y += tallest + GAP; x = tallest = 0; }
          bands.push({ from: from + start, count, x, y, rows: group.rows, name: label([name], Math.min(room, fold - x) * width / fold - 20) });
          x += room;
          tallest = Math.max(tallest, group.rows);
        }
        from += group.columns.length;
      }
      return y + tallest;
    };
    const bandOf = (index) => bands.find((b) => index < b.from + b.count);
    const place = (index) => { const band = bandOf(index); return [band.x + index - band.from, band.y, band.rows]; };
    const marks = (cells, symbol, size, width, color) => ({ type: "scatter", mode: "markers", hoverinfo: "skip",
      x: cells.map((c) => c[0]), y: cells.map((c) => c[1]), marker: { symbol, size, color, line: { width, color } } });
    /* `right` and `down` are two pixels, in cells. */
    const ring = (color, width, right, down) => {
      const [x, y, rows] = place(at);
      return { type: "rect", x0: x - .5 - right, x1: x + .5 + right, y0: y - .5 - down, y1: y + rows - .5 + down, line: { color, width } };
    };

    const draw = show(wall, (wide) => {
      const width = wide - 8, rows = arrange(width), z = Array.from({ length: rows }, () => Array(fold).fill(null)), hover = z.map((r) => r.map(() => ""));
      const tainted = [], unknown = [], muted = [];
      columns.forEach((column, index) => {
        const [x, top] = place(index);
        column.cells.forEach(([use, flags, text], row) => {
          const y = top + row;
          hover[y][x] = text;
          z[y][x] = use;
          if (flags & 2) { z[y][x] = null; muted.push([x, y]); }
          else if (use === null) unknown.push([x, y]);
          if (flags === 1) tainted.push([x, y]);
        });
      });
      const step = width / fold, high = fold < 40 ? 14 : width < 640 ? 7 : 8, size = Math.min(step, high, 10) - 2;
      const ramp = Array.from({ length: 10 }, (_, i) => [.005 + .995 * i / 9, `var(--seq-${i})`]);
      return { data: [
        { type: "heatmap", z, text: hover, hoverinfo: "text", hoverongaps: false, zmin: 0, zmax: 100, showscale: false,
          xgap: step > 7 ? 1 : .5, ygap: 1, colorscale: [[0, "var(--seq-free)"], [.005, "var(--seq-free)"], ...ramp] },
        marks(muted, "square", size - 1, 0, "var(--line)"),
        marks(unknown, "line-ew-open", 5, 1.5, "var(--ink-3)"),
        marks(tainted, "x-thin-open", size + 1, 4, "var(--surface)"),
        marks(tainted, "x-thin-open", size, 1.75, "var(--wall-cross)"),
      ], layout: merge(base, { height: rows * high + 24, margin: { l: 0, r: 0, t: 20, b: 0 },
        shapes: at < 0 ? [] : [["var(--surface)", 6], ["var(--ink)", 2]].map((line) => ring(...line, 2 / step, 2 / high)),
        annotations: bands.map((b) => ({ x: b.x - .5, y: b.y - .5, xanchor: "left", yanchor: "bottom", showarrow: false, font: { size: 11, color: "var(--ink-3)" }, text: b.name })),
        xaxis: { visible: false, range: [-.5 - 4 / step, fold - .5 + 4 / step] }, yaxis: { visible: false, range: [rows - .5 + 4 / high, -.5] } }) };
    });

    document.addEventListener("sliceboard:refreshed", () => {
      if (!wall.isConnected || written("wall-data") === kept) return;
      read();
      draw();
    });

    const here = (ref) => { wall.dataset.at = ref; const url = new URL(location); ref ? url.searchParams.set("at", ref) : url.searchParams.delete("at"); history.replaceState(null, "", url); };
    const close = () => { loading?.abort(); at = -1; if (peek) peek.hidden = true; if (said) said.textContent = ""; here(""); draw(); wall.focus(); };
    const open = async (index) => {
      const column = columns[at = index];
      draw();
      if (!column.peek) { said.textContent = column.said; return; }
      here(column.ref);
      loading?.abort();
      loading = new AbortController();
      peek.hidden = false;
      peek.innerHTML = `<span class="none"><svg class="i spin" aria-hidden="true"><use href="#i-load"/></svg>${plain(column.name)}</span>`;
      try {
        const answer = await fetch(column.peek, { signal: loading.signal });
        if (!answer.ok || answer.redirected) throw new Error(answer.status);
        peek.innerHTML = await answer.text();
      } catch (error) {
        if (error.name !== "AbortError") peek.textContent = words.failed;
      }
    };
    const columnAt = ({ x, y }) => { const band = bands.find((b) => y >= b.y && y < b.y + b.rows && x >= b.x && x < b.x + b.count); return band ? band.from + x - band.x : -1; };
    wall.on("plotly_click", (event) => {
      const index = columnAt(event.points[0]);
      if (index >= 0 && !columns[index].peek) location.href = columns[index].href;
      else if (index >= 0) open(index);
    });
    /* Up and down go to the nearest column of the bands above or below. */
    const beside = (down) => {
      const here = bandOf(at), x = here.x + at - here.from, away = bands.filter((b) => (b.y - here.y) * down > 0);
      const y = down > 0 ? Math.min(...away.map((b) => b.y)) : Math.max(...away.map((b) => b.y));
      const near = (b) => Math.max(b.x, Math.min(x, b.x + b.count - 1));
      const [to] = away.filter((b) => b.y === y).sort((a, b) => Math.abs(near(a) - x) - Math.abs(near(b) - x));
      return to ? to.from + near(to) - to.x : at;
    };
    wall.addEventListener("keydown", (event) => {
      if (chorded(event)) return;
      const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key], down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (along || down) {
        event.preventDefault();
        open(at < 0 ? 0 : down ? beside(down) : Math.max(0, Math.min(columns.length - 1, at + along)));
      }
      if (event.key === "Enter" && at >= 0) location.href = columns[at].href;
    });
    addEventListener("keydown", (event) => { if (event.key === "Escape" && at >= 0) close(); });
    peek?.addEventListener("click", (event) => { if (event.target.closest("[data-close]")) { event.preventDefault(); close(); } });
  }

  /* A part that may take longer than its page: a link without the script; with it, asked for at once. Searches come one
     after the other: until it is this one's turn, the server says when to ask again. */
  for (const part of document.querySelectorAll("[data-later]")) {
    const section = part.querySelector("section"), status = part.querySelector("[role=status]"), TURNS = 60;
    const tell = (state) => {
      for (const one of section.querySelectorAll("[data-when]")) one.hidden = one.dataset.when !== state;
      const told = section.querySelector(`[data-when=${state}]`).textContent;
      if (status.textContent !== told) status.textContent = told;
    };
    const wait = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
    const load = async () => {
      for (let turn = 0; turn < TURNS; turn++) {
        const answer = await fetch(part.dataset.later);
        if (answer.status !== 503 || !answer.headers.has("Retry-After")) return answer;
        tell("busy");
        await wait(Number(answer.headers.get("Retry-After")) || 1);
      }
      throw new Error("busy");
    };
    const ask = async () => {
      tell("loading");
      try {
        const answer = await load();
        if (!answer.ok || answer.redirected) throw new Error(answer.status);
        section.outerHTML = await answer.text();
        status.textContent = part.querySelector("[data-answer]").textContent;
      } catch {
        tell("failed");
      }
    };
    ask();
  }

  /* A page that stays open grows old visibly: its ages tick, and past the limit a banner says so. */
  const clock = document.getElementById("clock") && island("clock");
  if (clock) {
    const ahead = Date.now() - Date.parse(clock.now);
    const put = (key, n) => clock.words[key].replace(/%\(\w+\)[ds]/, n);
    const two = (larger, smaller, rest) => rest ? `${larger} ${smaller}` : larger;
    const age = (s) => s < 60 ? put("s", s)
      : s < 3600 ? two(put("min", Math.floor(s / 60)), put("s", s % 60), s % 60)
      : two(put("h", Math.floor(s / 3600)), put("min", Math.floor(s % 3600 / 60)), Math.floor(s % 3600 / 60));
    const elapsed = (text) => Math.max(0, Math.floor((Date.now() - ahead - Date.parse(text)) / 1000));
    const tick = () => {
      for (const node of document.querySelectorAll("time[data-grows]")) {
        const seconds = elapsed(node.dateTime);
        if (seconds >= 86400) continue;
        const text = node.dataset.grows === "ago" ? put("ago", age(seconds)) : age(seconds);
        if (node.textContent !== text) node.textContent = text;
      }
      const old = document.getElementById("grown-old"), grown = old && elapsed(old.dataset.asOf) > Number(old.dataset.limit);
      if (old && old.hidden === grown) old.hidden = !grown;
    };
    setInterval(tick, 5000);
    document.addEventListener("sliceboard:tick", tick);
  }

  /* Theme: the form sends it to the server; with the script it changes at once. */
  document.getElementById("theme")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const [next, after] = { system: ["system", "light"], light: ["light", "dark"], dark: ["dark", "system"] }[event.submitter.value];
    document.cookie = `theme=${next};path=/;max-age=31536000;samesite=lax${location.protocol === "https:" ? ";secure" : ""}`;
    next === "system" ? delete root.dataset.theme : root.dataset.theme = next;
    for (const button of document.querySelectorAll("button[name=theme]")) {
      button.value = after;
      button.title = button.dataset[next];
      button.setAttribute("aria-label", button.dataset[next]);
    }
    redraw();
  });
  /* Paper is white, and has a width of its own. */
  for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", redraw);
  document.addEventListener("sliceboard:refreshed", () => {
    for (const node of pictures.keys()) if (!node.isConnected) { window.Plotly.purge(node); pictures.delete(node); }
    figures();
    /* A wall where there was none: only a new page can draw it. */
    const now = document.getElementById("wall");
    if (now && now !== wall) location.reload();
  });
  let timer, width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; clearTimeout(timer); timer = setTimeout(redraw, 120); } });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !chorded(event) && !/INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) { event.preventDefault(); document.getElementById("find").focus(); }
    if (event.key === "Escape") document.querySelector(".menu[open]")?.removeAttribute("open");
  });
})();
