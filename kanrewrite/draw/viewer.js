// Zoom, folding, search, steps and keyboard for the pictures of a viewer. No library, no network.
(function () {
  "use strict";
  // Text of 11 px is drawn with at least 10.
  const LEAST = 0.92, CHANGED = "g.gone,g.new,g.place,g.match,g.differs,g.risk,g.best";
  for (const root of document.querySelectorAll(".viewer:not([data-ready])")) {
    // What is folded away has no size yet.
    const folded = root.closest("details:not([open])");
    if (folded) folded.addEventListener("toggle", () => start(root), { once: true });
    else start(root);
  }

  function start(root) {
    root.dataset.ready = "1";
    const status = root.querySelector(".status"), input = root.querySelector("input");
    const stages = [...root.querySelectorAll(".stage")], opened = new Map();
    let current = -1;
    const here = () => opened.get(current);

    function say(text) { status.textContent = text; }
    function step(to) {
      if (to < 0 || to >= stages.length || to === current) return;
      stages.forEach((stage, n) => { stage.hidden = n !== to; });
      current = to;
      const name = root.querySelector(".frame");
      if (name) name.textContent = `${to + 1} of ${stages.length}: ${stages[to].dataset.name}`;
      if (!opened.has(to)) { opened.set(to, graph(stages[to], say)); here().open(); }
      here().tell();
      if (input.value) here().find(input.value);
    }
    const acts = {
      in: () => here().zoom(1.25), out: () => here().zoom(0.8), fit: () => here().fit(),
      actual: () => here().actual(), changed: () => here().open(),
      collapse: () => here().collapse(true), expand: () => here().collapse(false),
      next: () => step(current + 1), previous: () => step(current - 1)
    };
    for (const button of root.querySelectorAll("button[data-do]"))
      button.addEventListener("click", () => acts[button.dataset.do]());
    input.addEventListener("input", () => here().find(input.value));
    // A page of one viewer listens wherever the focus is.
    const alone = document.querySelectorAll(".viewer").length === 1;
    (alone ? document : root).addEventListener("keydown", e => {
      if (e.target === input) {
        if (e.key === "Enter") { here().go(here().find(input.value)); e.preventDefault(); }
        return;
      }
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const act = {
        "+": acts.in, "=": acts.in, "-": acts.out, "0": acts.fit, "1": acts.actual,
        "o": acts.changed, "c": acts.collapse, "e": acts.expand,
        "n": acts.next, "p": acts.previous, "/": () => input.focus(), ...here().keys()
      }[e.key];
      if (act) { e.preventDefault(); act(); }
    });
    step(0);
  }

  // One picture in its own scrolling area.
  function graph(stage, say) {
    const svg = stage.querySelector("svg.kr"), boxes = new Map(), lines = [], collapsed = new Set();
    const first = svg.viewBox.baseVal;
    let size = { w: first.width, h: first.height }, scale = 1;
    for (const g of svg.querySelectorAll("g.box")) {
      const d = g.dataset, panel = g.closest("g.panel");
      const spot = { x: +d.x, y: +d.y, w: +d.w, h: +d.h, dx: 0, dy: 0 };
      boxes.set(g.id, { g, id: g.id, panel, ...spot, above: [], below: [] });
    }
    for (const g of svg.querySelectorAll("g.line")) {
      const s = boxes.get(g.dataset.s), t = boxes.get(g.dataset.t);
      const way = g.dataset.way.split(" ").map(p => p.split(",").map(Number));
      lines.push({ g, s, t, way });
      t.above.push(s);
      s.below.push(t);
    }
    const order = [...boxes.values()];
    for (const b of order) {
      b.g.setAttribute("tabindex", "-1");
      b.g.setAttribute("role", b.above.length ? "button" : "img");
      const name = b.g.querySelector("title");
      b.g.setAttribute("aria-label", name ? name.textContent : b.g.textContent);
      if (b.above.length) b.g.setAttribute("aria-expanded", "true");
    }
    if (order.length) order[order.length - 1].g.setAttribute("tabindex", "0");

    // What is reached from the boxes nobody reads, without entering collapsed ones.
    function visible() {
      const todo = order.filter(b => !b.below.length), seen = new Set(todo);
      while (todo.length) {
        const b = todo.pop();
        if (collapsed.has(b)) continue;
        for (const a of b.above) if (!seen.has(a)) { seen.add(a); todo.push(a); }
      }
      return seen;
    }
    // Close the gaps that hidden boxes leave: a monotone map for each axis, so order is kept.
    function squeeze(spans, room) {
      spans.sort((a, b) => a[0] - b[0]);
      const stops = [];
      let end = -Infinity, cut = 0;
      for (const [from, to] of spans) {
        if (end > -Infinity && from - end > room) {
          stops.push([end + room, cut]);
          cut += from - end - room;
        }
        end = Math.max(end, to);
        stops.push([from, cut]);
      }
      return v => {
        let moved = 0;
        for (const [at, by] of stops) { if (v < at) break; moved = by; }
        return v - moved;
      };
    }
    function redraw() {
      const seen = visible(), maps = new Map();
      // A box that is hidden gives the focus to what it was collapsed into, or keys would be lost.
      let active = boxes.get(document.activeElement && document.activeElement.id);
      if (active && !seen.has(active)) {
        while (!seen.has(active)) active = active.below[0];
        go(active);
      }
      const stays = v => v;
      for (const panel of new Set(order.map(b => b.panel))) {
        const own = [...seen].filter(b => b.panel === panel);
        maps.set(panel, !collapsed.size ? { x: stays, y: stays } : {
          x: squeeze(own.map(b => [b.x - b.w / 2, b.x + b.w / 2]), 40),
          y: squeeze(own.map(b => [b.y - b.h / 2, b.y + b.h / 2]), 30)
        });
      }
      for (const b of order) {
        const m = maps.get(b.panel), shown = seen.has(b);
        b.g.style.display = shown ? "" : "none";
        if (!shown) continue;
        b.dx = m.x(b.x) - b.x;
        b.dy = m.y(b.y) - b.y;
        b.g.setAttribute("transform", `translate(${b.dx},${b.dy})`);
        b.g.classList.toggle("folded", collapsed.has(b));
        if (b.above.length) b.g.setAttribute("aria-expanded", String(!collapsed.has(b)));
      }
      for (const l of lines) {
        const shown = seen.has(l.s) && seen.has(l.t) && !collapsed.has(l.t);
        l.g.style.display = shown ? "" : "none";
        if (!shown) continue;
        const m = maps.get(l.s.panel), last = l.way.length - 1;
        const way = l.way.map(([x, y], i) =>
          i === 0 ? [x + l.s.dx, y + l.s.dy] : i === last ? [x + l.t.dx, y + l.t.dy] : [m.x(x), m.y(y)]);
        let d = `M${way[0]}`;
        for (let i = 1; i < way.length; i++) {
          const [x, y] = way[i - 1], [a, b] = way[i], c = (y + b) / 2;
          d += `C${x},${c} ${a},${c} ${a},${b}`;
        }
        l.g.firstElementChild.setAttribute("d", d);
        for (const rest of [...l.g.children].slice(1)) {
          const own = rest.dataset.x === undefined ? null : [+rest.dataset.x, +rest.dataset.y];
          const by = own ? [m.x(own[0]) - own[0], m.y(own[1]) - own[1]] : [l.t.dx, l.t.dy];
          rest.setAttribute("transform", `translate(${by})`);
        }
      }
      tell();
    }
    function tell() {
      const seen = visible(), hidden = order.length - seen.size;
      say(hidden ? `${seen.size} boxes, ${hidden} collapsed` : `${order.length} ${order.length === 1 ? "box" : "boxes"}`);
    }

    function resize(to) {
      scale = Math.min(4, Math.max(0.05, to));
      svg.setAttribute("width", size.w * scale);
      svg.setAttribute("height", size.h * scale);
    }
    function zoom(by, cx = stage.clientWidth / 2, cy = stage.clientHeight / 2) {
      const x = (stage.scrollLeft + cx) / scale, y = (stage.scrollTop + cy) / scale;
      resize(scale * by);
      stage.scrollLeft = x * scale - cx;
      stage.scrollTop = y * scale - cy;
    }
    function fit() { resize(Math.min(stage.clientWidth / size.w, stage.clientHeight / size.h, 1)); }
    function actual() { zoom(1 / scale); }
    // Where something is in the scrolling area, whatever is scrolled.
    function place(elements) {
      const s = stage.getBoundingClientRect(), rects = elements.map(e => e.getBoundingClientRect());
      const dx = stage.scrollLeft - s.left, dy = stage.scrollTop - s.top;
      return {
        left: Math.min(...rects.map(r => r.left)) + dx, right: Math.max(...rects.map(r => r.right)) + dx,
        top: Math.min(...rects.map(r => r.top)) + dy, bottom: Math.max(...rects.map(r => r.bottom)) + dy
      };
    }
    // Legible, and scrolled to what changed, or else to the outputs.
    function open() {
      const all = Math.min(stage.clientWidth / size.w, stage.clientHeight / size.h);
      resize(Math.min(1, Math.max(LEAST, all >= LEAST ? all : stage.clientWidth / size.w)));
      const shown = [...svg.querySelectorAll(CHANGED)].filter(g => g.classList.contains("box"));
      const ends = order.filter(b => !b.below.length).map(b => b.g);
      if (!ends.length) return;
      const r = place(shown.length ? shown : ends), w = stage.clientWidth, h = stage.clientHeight;
      stage.scrollTop = r.bottom - r.top < h ? (r.top + r.bottom - h) / 2 : r.bottom - h * 0.9;
      stage.scrollLeft = r.right - r.left < w ? (r.left + r.right - w) / 2 : r.left - 20;
    }
    function collapse(all) {
      collapsed.clear();
      if (all) for (const b of order) if (b.above.length) collapsed.add(b);
      redraw();
      if (all) { stage.scrollTop = 0; stage.scrollLeft = 0; }
    }
    function toggle(box) {
      if (!box || !box.above.length) return;
      collapsed.has(box) ? collapsed.delete(box) : collapsed.add(box);
      redraw();
      go(box);
    }
    function go(box) {
      if (!box) return;
      for (const b of order) b.g.setAttribute("tabindex", "-1");
      box.g.setAttribute("tabindex", "0");
      box.g.focus({ preventScroll: true });
      const r = place([box.g]), room = 24;
      if (r.top - room < stage.scrollTop) stage.scrollTop = r.top - room;
      if (r.bottom + room > stage.scrollTop + stage.clientHeight) stage.scrollTop = r.bottom + room - stage.clientHeight;
      if (r.left - room < stage.scrollLeft) stage.scrollLeft = r.left - room;
      if (r.right + room > stage.scrollLeft + stage.clientWidth) stage.scrollLeft = r.right + room - stage.clientWidth;
    }
    function beside(box, by) {
      const seen = visible(), row = order.filter(b => seen.has(b) && b.panel === box.panel);
      row.sort((a, b) => a.y - b.y || a.x - b.x);
      return row[row.indexOf(box) + by];
    }
    function find(text) {
      const wanted = text.trim().toLowerCase();
      let hit = null, count = 0;
      for (const b of order) {
        const found = wanted && b.g.textContent.toLowerCase().includes(wanted);
        b.g.classList.toggle("hit", Boolean(found));
        if (found) { count++; hit = hit || b; }
      }
      wanted ? say(`${count} found`) : tell();
      return hit;
    }
    function pan(dx, dy) { stage.scrollBy(dx * stage.clientWidth, dy * stage.clientHeight); }
    function keys() {
      const box = boxes.get(document.activeElement && document.activeElement.id);
      const own = box && box.g.closest(".stage") === stage ? box : null;
      const seen = own && visible();
      return {
        "a": () => pan(-0.2, 0), "d": () => pan(0.2, 0), "w": () => pan(0, -0.2), "s": () => pan(0, 0.2),
        "Enter": () => toggle(own), " ": () => toggle(own),
        "ArrowUp": () => own ? go(own.above.find(b => seen.has(b))) : pan(0, -0.1),
        "ArrowDown": () => own ? go(own.below.find(b => seen.has(b))) : pan(0, 0.1),
        "ArrowLeft": () => own ? go(beside(own, -1)) : pan(-0.1, 0),
        "ArrowRight": () => own ? go(beside(own, 1)) : pan(0.1, 0),
        "r": () => own && own.g.dataset.refers && go(boxes.get("b" + own.g.dataset.refers.split(" ")[0]))
      };
    }

    stage.addEventListener("wheel", e => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      const s = stage.getBoundingClientRect();
      zoom(Math.exp(-e.deltaY * 0.0015), e.clientX - s.left, e.clientY - s.top);
    }, { passive: false });
    let drag = null;
    svg.addEventListener("pointerdown", e => {
      drag = { x: e.clientX, y: e.clientY, left: stage.scrollLeft, top: stage.scrollTop, moved: false };
    });
    svg.addEventListener("pointermove", e => {
      if (!drag || !e.buttons) return;
      const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
      if (Math.abs(dx) + Math.abs(dy) > 3) drag.moved = true;
      if (drag.moved) { stage.scrollLeft = drag.left - dx; stage.scrollTop = drag.top - dy; }
    });
    svg.addEventListener("click", e => {
      const g = e.target.closest("g.box"), moved = drag && drag.moved;
      drag = null;
      if (!g || moved) return;
      go(boxes.get(g.id));
      toggle(boxes.get(g.id));
    });
    redraw();
    return { open, zoom, fit, actual, collapse, find, go, keys, tell };
  }
})();
