// Zoom, pan, collapse and keyboard for one picture. No library, no network.
(function () {
  "use strict";
  for (const root of document.querySelectorAll(".viewer:not([data-ready])")) {
    // What is folded away has no size yet.
    const folded = root.closest("details:not([open])");
    if (folded) folded.addEventListener("toggle", () => start(root), { once: true });
    else start(root);
  }

  function start(root) {
    root.dataset.ready = "1";
    const svg = root.querySelector("svg.kr");
    const status = root.querySelector(".status");
    const boxes = new Map(), lines = [];
    const collapsed = new Set();
    const whole = { x: 0, y: 0, w: svg.viewBox.baseVal.width, h: svg.viewBox.baseVal.height };
    let view = { ...whole };

    for (const g of svg.querySelectorAll("g.box")) {
      const d = g.dataset, panel = g.id.split("-")[0];
      boxes.set(g.id, { g, panel, x: +d.x, y: +d.y, w: +d.w, h: +d.h, above: [], below: [] });
    }
    for (const g of svg.querySelectorAll("g.line")) {
      const s = boxes.get(g.dataset.s), t = boxes.get(g.dataset.t);
      const way = g.dataset.way.split(" ").map(p => p.split(",").map(Number));
      lines.push({ g, s, t, way });
      t.above.push(s);
      s.below.push(t);
    }
    for (const [id, box] of boxes) {
      box.g.setAttribute("tabindex", "-1");
      box.g.setAttribute("role", box.above.length ? "button" : "img");
      const name = box.g.querySelector("title");
      box.g.setAttribute("aria-label", name ? name.textContent : box.g.textContent);
      if (box.above.length) box.g.setAttribute("aria-expanded", "true");
      box.id = id;
    }
    const order = [...boxes.values()];
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
      const seen = visible();
      // A box that is hidden gives the focus to what it was collapsed into, or keys would be lost.
      let active = boxes.get(document.activeElement && document.activeElement.id);
      if (active && !seen.has(active)) {
        while (!seen.has(active)) active = active.below[0];
        focus(active);
      }
      const maps = new Map();
      for (const panel of new Set(order.map(b => b.panel))) {
        const here = [...seen].filter(b => b.panel === panel);
        maps.set(panel, {
          x: squeeze(here.map(b => [b.x - b.w / 2, b.x + b.w / 2]), 40),
          y: squeeze(here.map(b => [b.y - b.h / 2, b.y + b.h / 2]), 26)
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
        for (const rest of [...l.g.children].slice(1))
          rest.setAttribute("transform", `translate(${l.t.dx},${l.t.dy})`);
      }
      const hidden = order.length - seen.size;
      say(hidden ? `${seen.size} boxes, ${hidden} collapsed` : `${order.length} boxes`);
    }

    function say(text) { status.textContent = text; }
    function show() { svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`); }
    function zoom(by, cx = view.x + view.w / 2, cy = view.y + view.h / 2) {
      const w = Math.min(whole.w * 4, Math.max(60, view.w * by)), k = w / view.w;
      view = { x: cx - (cx - view.x) * k, y: cy - (cy - view.y) * k, w, h: view.h * k };
      show();
    }
    function pan(dx, dy) { view.x += dx * view.w; view.y += dy * view.h; show(); }
    function fit() { view = { ...whole }; show(); }
    function actual() {
      const r = svg.getBoundingClientRect();
      const c = [view.x + view.w / 2, view.y + view.h / 2];
      view = { x: c[0] - r.width / 2, y: c[1] - r.height / 2, w: r.width, h: r.height };
      show();
    }
    function at(event) {
      const p = new DOMPoint(event.clientX, event.clientY);
      return p.matrixTransform(svg.getScreenCTM().inverse());
    }
    function toggle(box) {
      if (!box || !box.above.length) return;
      collapsed.has(box) ? collapsed.delete(box) : collapsed.add(box);
      redraw();
    }
    function focus(box) {
      if (!box) return;
      for (const b of order) b.g.setAttribute("tabindex", "-1");
      box.g.setAttribute("tabindex", "0");
      box.g.focus({ preventScroll: true });
      const r = box.g.getBoundingClientRect(), s = svg.getBoundingClientRect();
      if (r.left < s.left || r.right > s.right || r.top < s.top || r.bottom > s.bottom) {
        const m = box.g.getCTM().inverse(), c = svg.createSVGPoint();
        const box2 = box.g.getBBox(), own = box.g.getScreenCTM(), base = svg.getScreenCTM().inverse();
        c.x = box2.x + box2.width / 2; c.y = box2.y + box2.height / 2;
        const p = c.matrixTransform(own).matrixTransform(base);
        view.x = p.x - view.w / 2; view.y = p.y - view.h / 2;
        show();
      }
    }
    function beside(box, step) {
      const seen = visible();
      const row = order.filter(b => seen.has(b) && b.panel === box.panel);
      row.sort((a, b) => a.y - b.y || a.x - b.x);
      return row[row.indexOf(box) + step];
    }
    function find(text) {
      const wanted = text.trim().toLowerCase();
      let first = null, count = 0;
      for (const b of order) {
        const hit = wanted && b.g.textContent.toLowerCase().includes(wanted);
        b.g.classList.toggle("hit", Boolean(hit));
        if (hit) { count++; first = first || b; }
      }
      if (wanted) say(`${count} found`);
      return first;
    }

    svg.addEventListener("wheel", e => {
      if (!e.ctrlKey && !root.contains(document.activeElement)) return;
      e.preventDefault();
      const p = at(e);
      zoom(Math.exp(e.deltaY * 0.0015), p.x, p.y);
    }, { passive: false });
    let drag = null;
    svg.addEventListener("pointerdown", e => { drag = { p: at(e), moved: false }; });
    svg.addEventListener("pointermove", e => {
      if (!drag || !e.buttons) return;
      const p = at(e);
      if (Math.abs(p.x - drag.p.x) + Math.abs(p.y - drag.p.y) > 3) drag.moved = true;
      if (!drag.moved) return;
      view.x += drag.p.x - p.x; view.y += drag.p.y - p.y;
      show();
    });
    svg.addEventListener("click", e => {
      const g = e.target.closest("g.box"), moved = drag && drag.moved;
      drag = null;
      if (!g || moved) return;
      const box = boxes.get(g.id);
      focus(box);
      toggle(box);
    });
    root.addEventListener("keydown", e => {
      if (e.target.tagName === "INPUT") {
        if (e.key === "Enter") { focus(find(e.target.value)); e.preventDefault(); }
        return;
      }
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const box = boxes.get(document.activeElement && document.activeElement.id);
      const act = {
        "+": () => zoom(1 / 1.25), "=": () => zoom(1 / 1.25), "-": () => zoom(1.25),
        "0": fit, "1": actual,
        "a": () => pan(-0.1, 0), "d": () => pan(0.1, 0), "w": () => pan(0, -0.1), "s": () => pan(0, 0.1),
        "Enter": () => toggle(box), " ": () => toggle(box),
        "ArrowUp": () => box ? focus(box.above.find(b => visible().has(b))) : pan(0, -0.1),
        "ArrowDown": () => box ? focus(box.below.find(b => visible().has(b))) : pan(0, 0.1),
        "ArrowLeft": () => box ? focus(beside(box, -1)) : pan(-0.1, 0),
        "ArrowRight": () => box ? focus(beside(box, 1)) : pan(0.1, 0),
        "r": () => box && box.g.dataset.refers && focus(boxes.get("b" + box.g.dataset.refers.split(" ")[0])),
        "c": () => { for (const b of order) if (b.above.length) collapsed.add(b); redraw(); },
        "e": () => { collapsed.clear(); redraw(); },
        "/": () => root.querySelector("input").focus()
      }[e.key];
      if (act) { e.preventDefault(); act(); }
    });
    for (const button of root.querySelectorAll("button[data-do]"))
      button.addEventListener("click", () => ({
        in: () => zoom(1 / 1.25), out: () => zoom(1.25), fit, actual,
        collapse: () => { for (const b of order) if (b.above.length) collapsed.add(b); redraw(); },
        expand: () => { collapsed.clear(); redraw(); }
      })[button.dataset.do]());
    root.querySelector("input").addEventListener("input", e => find(e.target.value));
    // Large pictures open at a size at which they can be read, at their outputs.
    svg.setAttribute("width", "100%");
    svg.removeAttribute("height");
    const r = svg.getBoundingClientRect();
    // Side by side, seeing both matters more than seeing each box well.
    const several = new Set(order.map(b => b.panel)).size > 1, most = several ? 2.6 : 1.6;
    const wanted = r.width ? Math.max(whole.w / r.width, whole.h / r.height) : 1;
    if (wanted > 1.2) {
      const k = Math.min(most, wanted), last = order[order.length - 1];
      view = { w: r.width * k, h: r.height * k, x: 0, y: 0 };
      view.y = Math.max(0, whole.h - view.h);
      view.x = several ? 0 : Math.max(0, Math.min(whole.w - view.w, last.x - view.w / 2));
      show();
    } else if (r.width > whole.w) {
      view = { x: (whole.w - r.width) / 2, y: 0, w: r.width, h: Math.max(whole.h, r.height) };
      show();
    }
    redraw();
  }
})();
