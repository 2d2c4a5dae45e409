// Shows frames that were made elsewhere: knows no rule, no card and no score.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const part = (i) => data.parts[i].map((j) => data.lines[j]).join("\n");
  let deal = 0, ply = 0, view = 0, priced = false, noting = 0;

  const element = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const signed = (x) => (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(x);
  const worth = (x) => `${x < 0 ? "failed" : "made"} ${signed(x)}`;

  function choices(frame) {
    const box = $("choices");
    box.replaceChildren();
    if (!frame.choices.length) return;
    const shared = frame.choices.some((c) => c[1] !== null);
    const hasPrice = frame.choices.some((c) => c[3] !== null);
    const hasTrue = frame.choices.some((c) => c[2] !== null);
    const table = element("table", priced && hasPrice ? "choices priced" : "choices");
    const caption = element("caption", "", "Choices");
    caption.append(" ", element("small", "", shared ? data.by : "what was legal"));
    table.append(caption);
    const head = table.createTHead().insertRow();
    const heads = ["choice"];
    if (shared) heads.push("share");
    if (hasPrice && priced) heads.push("what the seat could know");
    if (hasTrue && priced) heads.push("all cards known");
    for (const word of heads) {
      const cell = element("th", "", word);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const [word, share, real, known, made] of frame.choices) {
      const row = body.insertRow();
      row.dataset.word = word;
      const name = element("th", "", word);
      name.scope = "row";
      row.append(name);
      if (word === frame.word) {
        row.className = frame.dear ? "chosen dear" : "chosen";
        name.append(" ", element("small", "", frame.dear ? "chosen, dear" : "chosen"));
      }
      if (shared) {
        const cell = element("td", "share");
        const bar = element("span", "bar");
        bar.style.width = `${100 * share}%`;
        cell.dataset.share = share;
        cell.append(bar, element("span", "number", `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`));
        row.append(cell);
      }
      if (hasPrice && priced) {
        const cell = element("td", known < 0 ? "failed" : "made", worth(known));
        cell.append(" ", element("small", "", `made in ${made} of ${data.worlds}`));
        row.append(cell);
      }
      if (hasTrue && priced) {
        const cell = element("td", real < 0 ? "failed" : "made", worth(real));
        cell.dataset.true = real;
        row.append(cell);
      }
    }
    box.append(table);
    if (hasPrice) {
      const note = priced
        ? "By how much the declaring team makes its contract or fails, if all play their best from here."
        : "Press d to see what each choice comes to.";
      box.append(element("p", "note", note));
    }
  }

  function showPrices() {
    for (const line of document.querySelectorAll(".prices")) line.hidden = !priced;
  }

  function show() {
    const { frames, views, stops } = data.deals[deal];
    const frame = frames[ply];
    $("board").innerHTML = frame.svg[view].map(part).join("\n");
    $("words").textContent = frame.text[view].map((i) => data.lines[i]).join("\n");
    $("said").textContent = `${ply} of ${frames.length - 1}. ${frame.said ? frame.said + ". " : ""}${frame.turn}.`;
    choices(frame);
    $("ply").max = frames.length - 1;
    $("ply").value = ply;
    $("ply").setAttribute("aria-valuetext", $("said").textContent);
    $("deal").value = deal;
    document.body.dataset.at = `${deal} ${ply} ${views[view]}`;
    for (const button of document.querySelectorAll("[data-view]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.view) === views[view]));
    for (const section of document.querySelectorAll(".deal")) {
      section.hidden = Number(section.dataset.deal) !== deal;
      if (section.hidden) continue;
      for (const button of section.querySelectorAll("[data-ply]")) {
        const here = Number(button.dataset.ply) === ply;
        button.classList.toggle("here", here);
        if (here) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      }
    }
    for (const [name, on] of [["dear-", before(dear())], ["dear+", after(dear())],
      ["trick-", before(stops)], ["trick+", after(stops)], ["-", ply > 0 || undefined],
      ["+", ply < frames.length - 1 || undefined], ["first", ply > 0 || undefined],
      ["last", ply < frames.length - 1 || undefined]])
      document.querySelector(`[data-go="${name}"]`).disabled = on === undefined;
    clearTimeout(noting);
    noting = setTimeout(note, 150, `#${deal + 1}.${ply}.${views[view]}`);
  }

  // Once one rests: browsers grow slow on an address that changes all the time.
  function note(address) {
    try {
      history.replaceState(null, "", address);
    } catch { /* some browsers forbid it for files */ }
  }

  const dear = () => data.deals[deal].frames.flatMap((frame, i) => (frame.dear ? [i] : []));
  const after = (places) => places.find((place) => place > ply);
  const before = (places) => places.findLast((place) => place < ply);

  function go(where) {
    const { frames, stops, views } = data.deals[deal];
    const last = frames.length - 1;
    if (where === "help") return $("help").open ? $("help").close() : $("help").showModal();
    if (where === "price") {
      priced = !priced;
      document.querySelector("[data-go=price]").setAttribute("aria-pressed", String(priced));
      showPrices();
    }
    else if (where === "deal-" || where === "deal+") {
      const next = deal + (where === "deal+" ? 1 : -1);
      if (next < 0 || next >= data.deals.length) return;
      [deal, ply] = [next, 0];
    } else if (where.startsWith("view")) {
      const place = views.indexOf(Number(where.slice(4)));
      if (place < 0) return;
      view = place;
    } else {
      const to = {
        "first": 0, "last": last, "+": ply + 1, "-": ply - 1,
        "trick+": after(stops), "trick-": before(stops),
        "dear+": after(dear()), "dear-": before(dear()),
      }[where] ?? Number(where);
      if (!(to >= 0 && to <= last)) return;
      ply = to;
    }
    show();
  }

  const keys = {
    ArrowLeft: "-", ArrowRight: "+", "[": "trick-", "]": "trick+", Home: "first", End: "last",
    n: "dear+", p: "dear-", d: "price", "?": "help", PageUp: "deal-", PageDown: "deal+",
    0: "view0", 1: "view1", 2: "view2", 3: "view3", 4: "view4",
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    if ($("help").open && event.key !== "?") return;
    if (event.target.tagName === "SELECT") return;
    event.preventDefault();
    go(keys[event.key]);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.go) go(button.dataset.go);
    else if (button.dataset.view) go(`view${button.dataset.view}`);
    else if (button.dataset.ply) go(button.dataset.ply);
  });
  $("ply").addEventListener("input", () => go($("ply").value));
  $("deal").addEventListener("change", () => {
    [deal, ply] = [Number($("deal").value), 0];
    show();
  });

  document.querySelectorAll(".deal h2").forEach((head, i) => $("deal").add(new Option(head.textContent, i)));
  $("choose").hidden = data.deals.length < 2;
  $("replay").hidden = false;
  document.querySelector("[data-go=price]").hidden = !data.dd;
  showPrices();
  $("dear-means").textContent = data.dd
    ? "A choice is dear if it costs its team a point or more on average, over deals that fit what the seat knew; in the auction, if another was at least twice as probable."
    : "A choice is dear if another was at least twice as probable.";
  const [startDeal, startPly, startView] = location.hash.slice(1).split(".").map(Number);
  if (startDeal >= 1 && startDeal <= data.deals.length) deal = startDeal - 1;
  if (startPly > 0 && startPly < data.deals[deal].frames.length) ply = startPly;
  const whole = data.deals[deal].views;
  view = Math.max(whole.indexOf(startView), location.hash ? 0 : whole.length - 1);
  if (location.hash && whole.indexOf(startView) < 0) view = whole.length - 1;
  show();
})();
