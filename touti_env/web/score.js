"use strict";
// What may be counted, and what it comes to, is looked up in TABLE; its words are filled in.

function say(key, values = {}) {
  return TABLE.words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** The score of a deal, or `{error}`: why it cannot have happened; null while something is missing. */
function count(deal) {
  if (deal.contract === null || deal.points === null) return null;
  return deal.conceded ? countConceded(deal) : countPlayed(deal);
}

function countPlayed({contract, points, whose, last, ghna}) {
  if (last === null) return null;
  const wrong = wrongPoints(points, 0);
  if (wrong) return {error: wrong};
  const declared = lookUpGhna(contract, ghna);
  if (declared.error) return declared;
  const ours = whose === TABLE.sides[0] ? points : TABLE.rest[points];
  return result(contract, ours, last, ghna, declared.sum);
}

function countConceded({contract, points, ghna, pairs}) {
  const declared = lookUpGhna(contract, ghna);
  if (declared.error) return declared;
  const wrong = TABLE.kinds[kindsOf([...ghna, ...pairs])] || wrongPoints(points, pairs.length);
  if (wrong) return {error: wrong};
  const credited = TABLE.credit[declared.left][kindsOf(pairs)];
  const swept = {conceded: true, pairs, credited};
  return result(contract, TABLE.rest[points], TABLE.sides[0], ghna, declared.sum + credited, swept);
}

function wrongPoints(points, pairs) {
  const reasons = TABLE.points[pairs];
  return points in reasons ? reasons[points] : say("no points", {value: points});
}

/** What Ghnas declared in this order come to, and what is left of the cap. */
function lookUpGhna(contract, ghna) {
  const orders = TABLE.ghna[contract];
  let soFar = "";
  for (const worth of ghna) {
    const reason = orders[soFar].refused[worth];
    if (reason) return {error: reason};
    soFar = soFar ? `${soFar} ${worth}` : `${worth}`;
  }
  return orders[soFar];
}

function kindsOf(worths) {
  const trump = worths.filter((worth) => worth === TABLE.trump).length;
  return `${trump} ${worths.length - trump}`;
}

function result(contract, points, last, ghna, meld, swept = {conceded: false, pairs: [], credited: 0}) {
  const total = TABLE.totals[last][meld][points];
  const scores = TABLE.sides[TABLE.scorers[contract][total]];
  return {
    contract, points, last_trick: last, ghna, ...swept, total,
    made: scores === TABLE.sides[0], by: Math.abs(total - contract), scores,
  };
}

/** The sum spelled out: numbers and what they are, the total last. */
function linesOf(counted) {
  const {points, last_trick, conceded} = counted;
  const lines = [
    [points, conceded ? say("swept", {theirs: TABLE.rest[points]}) : say("points")],
    [TABLE.last[last_trick], say(conceded ? "last conceded" : `last ${last_trick}`)],
    ...counted.ghna.map((worth) => [worth, say("ghna")]),
  ];
  if (conceded) lines.push([counted.credited, say("pairs")]);
  const verdict = counted.by === 0 ? "exactly" : counted.made ? "made" : "failed";
  return [...lines, [counted.total, say(verdict, {by: counted.by})]];
}

// The sheet: {names, first_dealer, entries, changes}, as touti_env.scoresheet keeps it.

const NOBODY_BID = {declarer: null, result: null};

function rowsOf(sheet) {
  let dealer = sheet.first_dealer;
  let score = [0, 0];
  return sheet.entries.map(({declarer, result}) => {
    let scored = null;
    if (result) {
      scored = result.made ? declarer % 2 : 1 - (declarer % 2);
      score = score.map((points, team) => points + (team === scored ? result.contract : 0));
    }
    const row = {dealer, opener: TABLE.opener[dealer], declarer, result, scored, score};
    dealer = TABLE.next[dealer];
    return row;
  });
}

function standing(sheet) {
  const rows = rowsOf(sheet);
  const last = rows[rows.length - 1];
  const score = last ? last.score : [0, 0];
  return {rows, score, winner: winnerOf(score), dealer: last ? TABLE.next[last.dealer] : sheet.first_dealer};
}

function winnerOf(score) {
  const team = score.findIndex((points) => TABLE.winning[points]);
  return team < 0 ? null : team;
}

function addEntry(sheet, entry) {
  const {score, winner} = standing(sheet);
  if (winner !== null) return {error: say("ended", {score: score.join(":")})};
  const changes = [...sheet.changes, {deal: sheet.entries.length, before: null}];
  return {...sheet, entries: [...sheet.entries, entry], changes};
}

function editEntry(sheet, place, entry) {
  const entries = sheet.entries.map((old, at) => (at === place ? entry : old));
  const edited = {...sheet, entries, changes: [...sheet.changes, {deal: place, before: sheet.entries[place]}]};
  const early = rowsOf(edited).slice(0, -1).findIndex((row) => winnerOf(row.score) !== null);
  if (early < 0) return edited;
  return {error: say("ends early", {number: early + 1, score: rowsOf(edited)[early].score.join(":")})};
}

function undoChange(sheet) {
  if (!sheet.changes.length) return {error: say("no undo")};
  const {deal, before} = sheet.changes[sheet.changes.length - 1];
  const entries = [...sheet.entries];
  if (before) entries[deal] = before;
  else entries.pop();
  return {...sheet, entries, changes: sheet.changes.slice(0, -1)};
}

function toJSON(sheet) {
  const {rows, score, winner} = standing(sheet);
  const content = {
    format: TABLE.format, version: TABLE.version, names: sheet.names, first_dealer: sheet.first_dealer,
    deals: rows, score, winner, changes: sheet.changes,
  };
  return JSON.stringify(content, null, 1) + "\n";
}

/** The sheet of a JSON text, its numbers counted anew; throws if they do not hold. */
function fromJSON(text) {
  const content = JSON.parse(text);
  if (content.format !== TABLE.format || content.version !== TABLE.version) throw new Error("not a score sheet");
  const entries = content.deals.map(({declarer, result}) => ({declarer, result: result && recount(result)}));
  const {names, first_dealer, changes} = content;
  const sheet = {names, first_dealer, entries, changes};
  if (JSON.stringify(JSON.parse(toJSON(sheet))) !== JSON.stringify(content)) throw new Error("its numbers do not hold");
  return sheet;
}

function recount({contract, points, last_trick, ghna, conceded, pairs}) {
  const theirs = conceded ? TABLE.rest[points] : points;
  const counted = count({contract, points: theirs, whose: TABLE.sides[0], last: last_trick, ghna, conceded, pairs});
  if (!counted || counted.error) throw new Error(counted ? counted.error : "a number is missing");
  return counted;
}

function teamName(sheet, team) {
  return `${sheet.names[team]} + ${sheet.names[team + 2]}`;
}

function toCSV(sheet) {
  const lines = [[...TABLE.csv, teamName(sheet, 0), teamName(sheet, 1)]];
  rowsOf(sheet).forEach(({dealer, opener, declarer, result, scored, score}, at) => {
    const dealt = [at + 1, sheet.names[dealer], sheet.names[opener]];
    const counted = result
      ? [sheet.names[declarer], result.contract, result.points, result.last_trick, result.ghna.join(" "),
         result.conceded ? "yes" : "no", result.credited, result.total, result.made ? "made" : "failed",
         teamName(sheet, scored)]
      : Array(TABLE.csv.length - dealt.length).fill("");
    lines.push([...dealt, ...counted, ...score]);
  });
  const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell);
  return lines.map((cells) => cells.map(quoted).join(",") + "\n").join("");
}

function outlook(sheet) {
  const {score, winner, dealer} = standing(sheet);
  if (winner !== null) return say("won", {team: teamName(sheet, winner), score: score.join(":")});
  return say("next", {dealer: sheet.names[dealer], opener: sheet.names[TABLE.opener[dealer]]});
}

// The page.

const byId = (id) => document.getElementById(id);

function element(tag, text = "", more = {}) {
  return Object.assign(document.createElement(tag), {textContent: text}, more);
}

let sheet = null;
let editing = null;
let ghna = [];

function chosen(name) {
  const input = document.querySelector(`input[name="${name}"]:checked`);
  return input ? input.value : null;
}

/** The deal as the form tells it. */
function dealOf() {
  const contract = chosen("contract");
  const points = byId("points");
  const pairs = byId("pair-trump").checked ? [TABLE.trump] : [];
  return {
    contract: contract === null ? null : Number(contract),
    points: points.value === "" ? null : Number(points.value),
    whose: chosen("whose"), last: chosen("last"), ghna, conceded: byId("conceded").checked,
    pairs: [...pairs, ...Array(Number(byId("pair-plain").value)).fill(TABLE.plain)],
  };
}

function showDeal() {
  const deal = dealOf();
  byId("pairs").hidden = !deal.conceded;
  byId("last-trick").hidden = byId("whose").hidden = deal.conceded;
  byId("points-legend").textContent = deal.conceded ? "The defenders’ card points so far" : "Card points";
  showGhna(deal.contract);
  const counted = count(deal);
  byId("result").replaceChildren(...(counted ? outcomeOf(counted) : [element("p", missing(deal), {className: "note"})]));
  byId("add").disabled = !counted || Boolean(counted.error);
}

function missing(deal) {
  const wanted = [];
  if (deal.contract === null) wanted.push("the contract");
  if (deal.points === null) wanted.push("the card points");
  if (!deal.conceded && deal.last === null) wanted.push("who won the last trick");
  return `Still to say: ${wanted.join(", ")}.`;
}

function outcomeOf(counted) {
  if (counted.error) return [element("p", sentence(counted.error), {className: "error"})];
  const table = element("table");
  const {contract} = counted;
  table.createCaption().textContent = sentence(say("heading", {contract, cap: TABLE.caps[contract]}));
  const lines = linesOf(counted);
  lines.forEach(([number, what], at) => {
    const part = at < lines.length - 1 ? table.tBodies[0] || table.createTBody() : table.createTFoot();
    part.insertRow().append(element("td", number), element("th", what, {scope: "row"}));
  });
  const verdict = element("p", say(counted.scores, {contract}), {className: `verdict ${counted.made ? "made" : "failed"}`});
  return [table, verdict];
}

function sentence(words) {
  return words[0].toUpperCase() + words.slice(1);
}

function showGhna(contract) {
  const here = contract === null ? {error: ""} : lookUpGhna(contract, ghna);
  const reasons = [];
  for (const [id, worth] of [["ghna-trump", TABLE.trump], ["ghna-plain", TABLE.plain]]) {
    const reason = here.error ?? here.refused[worth];
    byId(id).disabled = reason !== null;
    if (reason) reasons.push(sentence(reason));
  }
  byId("ghna-less").hidden = !ghna.length;
  byId("ghna-list").textContent = ghna.length ? `Declared: ${ghna.join(", ")}` : "None declared";
  byId("ghna-why").textContent = contract === null ? "First choose the contract." : [...new Set(reasons)].join(" ");
}

function showSheet() {
  byId("new").hidden = sheet !== null;
  byId("kept").hidden = byId("write").hidden = sheet === null;
  for (const button of document.querySelectorAll(".kept")) button.hidden = sheet === null;
  if (sheet === null) return;
  const {rows, winner} = standing(sheet);
  byId("outlook").textContent = outlook(sheet);
  byId("undo").disabled = !sheet.changes.length;
  const over = winner !== null && editing === null;
  for (const id of ["add", "cancelled"]) byId(id).hidden = over;
  byId("declarer").parentElement.hidden = over;
  byId("add").textContent = editing === null ? "Write it on the sheet" : `Change deal ${editing + 1}`;
  byId("stop-editing").hidden = editing === null;
  const keep = byId("declarer").value;
  byId("declarer").replaceChildren(...sheet.names.map((name, seat) => element("option", name, {value: seat})));
  if (keep) byId("declarer").value = keep;
  showRows(rows);
}

function showRows(rows) {
  const heads = ["", "Dealer", "Opener", "Declarer", "Contract", "Total", "", teamName(sheet, 0), teamName(sheet, 1), ""];
  const head = element("tr");
  head.append(...heads.map((text, at) => element(text ? "th" : "td", text, text ? {scope: "col", className: at === 4 || at === 5 || at > 6 ? "number" : ""} : {})));
  byId("rows").tHead.replaceChildren(head);
  byId("rows").tBodies[0].replaceChildren(...rows.map(rowOf));
}

function rowOf({dealer, opener, declarer, result, scored, score}, place) {
  const row = element("tr", "", {className: place === editing ? "editing" : ""});
  const number = (text, team) => element("td", text, {className: team === scored && result ? "number won" : "number"});
  const edit = element("td");
  edit.append(element("button", "Edit", {type: "button", className: "quiet", ariaLabel: `Edit deal ${place + 1}`, onclick: () => startEditing(place)}));
  row.append(
    element("th", place + 1, {scope: "row"}), element("td", sheet.names[dealer]), element("td", sheet.names[opener]),
    element("td", result ? sheet.names[declarer] : "nobody bid"), element("td", result ? result.contract : "", {className: "number"}),
    element("td", result ? result.total : "", {className: "number"}), element("td", result ? (result.made ? "made" : "failed") : ""),
    number(score[0], 0), number(score[1], 1), edit,
  );
  return row;
}

function startEditing(place) {
  editing = place;
  fill(sheet.entries[place]);
  showDeal();
  showSheet();
  byId("deal").scrollIntoView();
  byId("points").focus();
}

/** Put an entry of the sheet into the form. */
function fill({declarer, result}) {
  clear();
  if (!result) return;
  byId("declarer").value = declarer;
  document.querySelector(`input[name="contract"][value="${result.contract}"]`).checked = true;
  byId("conceded").checked = result.conceded;
  byId("points").value = result.conceded ? TABLE.rest[result.points] : result.points;
  if (!result.conceded) document.querySelector(`input[name="last"][value="${result.last_trick}"]`).checked = true;
  byId("pair-trump").checked = result.pairs.includes(TABLE.trump);
  byId("pair-plain").value = result.pairs.filter((worth) => worth !== TABLE.trump).length;
  ghna = [...result.ghna];
}

function clear() {
  byId("deal").reset();
  ghna = [];
}

/** Take a changed sheet over, or say why it is refused. */
function keep(changed, where = "refused") {
  byId(where).textContent = changed && changed.error ? sentence(changed.error) : "";
  if (changed && changed.error) return false;
  sheet = changed;
  try {
    localStorage.setItem(kept(), sheet ? toJSON(sheet) : "null");
  } catch {
    // Without storage the sheet lives as long as the page.
  }
  return true;
}

function write(entry) {
  if (!keep(editing === null ? addEntry(sheet, entry) : editEntry(sheet, editing, entry))) return;
  editing = null;
  clear();
  showDeal();
  showSheet();
}

function beginSheet(event) {
  event.preventDefault();
  const names = [...document.querySelectorAll("#names input")].map((input) => input.value.trim());
  const different = new Set(names.map((name) => name.toLowerCase())).size === names.length;
  if (!different || names.includes("")) return void keep({error: "four different names are needed (§1.1)"}, "new-refused");
  keep({names, first_dealer: Number(byId("first").value), entries: [], changes: []}, "new-refused");
  showSheet();
}

function download(name, text, type) {
  const link = element("a", "", {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
  link.click();
  URL.revokeObjectURL(link.href);
}

async function openFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  try {
    keep(fromJSON(await file.text()), "open-refused");
    showSheet();
  } catch (error) {
    byId("open-refused").textContent = `${file.name} is no sheet that holds: ${error.message}`;
  }
}

/** Where the browser keeps the sheet: each page that was written with a sheet has a place of its own. */
function kept() {
  return `touti-sheet ${given()}`;
}

function given() {
  return byId("touti-sheet").textContent;
}

function remembered() {
  let text = given();
  try {
    text = localStorage.getItem(kept()) ?? text;
  } catch {
    // Without storage the page begins as it was written.
  }
  try {
    return text === "null" ? null : fromJSON(text);
  } catch {
    return null;
  }
}

function begin() {
  byId("contracts").append(...TABLE.contracts.map((contract) => {
    const label = element("label");
    label.append(element("input", "", {type: "radio", name: "contract", value: contract}), element("span", contract));
    return label;
  }));
  byId("names").append(...TABLE.next.map((_, seat) => {
    const label = element("label", `Seat ${seat}${seat > 1 ? `, partner of seat ${seat - 2}` : ""}`);
    label.append(element("input", "", {type: "text", maxLength: 40, required: true}));
    return label;
  }));
  byId("first").append(...TABLE.next.map((_, seat) => element("option", `seat ${seat}`, {value: seat})));
  byId("ghna-trump").textContent = `+ ${TABLE.trump} trumps`;
  byId("ghna-plain").textContent = `+ ${TABLE.plain} another suit`;
  const again = (id, act) => byId(id).addEventListener("click", () => { act(); showDeal(); });
  again("ghna-trump", () => ghna.push(TABLE.trump));
  again("ghna-plain", () => ghna.push(TABLE.plain));
  again("ghna-less", () => ghna.pop());
  byId("deal").addEventListener("input", showDeal);
  byId("deal").addEventListener("submit", (event) => event.preventDefault());
  byId("deal").addEventListener("reset", () => { ghna = []; setTimeout(showDeal); });
  byId("add").addEventListener("click", () => write({declarer: Number(byId("declarer").value), result: count(dealOf())}));
  byId("cancelled").addEventListener("click", () => write(NOBODY_BID));
  byId("stop-editing").addEventListener("click", () => { editing = null; clear(); showDeal(); showSheet(); });
  byId("new").addEventListener("submit", beginSheet);
  byId("undo").addEventListener("click", () => { editing = null; keep(undoChange(sheet)); showSheet(); });
  byId("save-json").addEventListener("click", () => download("touti.json", toJSON(sheet), "application/json"));
  byId("save-csv").addEventListener("click", () => download("touti.csv", toCSV(sheet), "text/csv"));
  byId("open").addEventListener("change", openFile);
  byId("print").addEventListener("click", () => window.print());
  byId("another").addEventListener("click", () => {
    if (window.confirm("Begin another match? Save this one first if you want to keep it.")) { keep(null); showSheet(); }
  });
  sheet = remembered();
  showDeal();
  showSheet();
}

if (typeof document !== "undefined") {
  globalThis.TABLE = JSON.parse(byId("touti-table").textContent);
  begin();
}
