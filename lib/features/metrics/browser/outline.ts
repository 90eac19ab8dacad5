/* Reads metric files while they are typed: a text that is not valid YAML yet still has names. */

export type OutlineDataset = { name: string; source: string; fields: string[] };
type Outline = { datasets: OutlineDataset[]; metrics: string[] };

/** A line with the keys above it. `key` is null in a line without one. */
type Line = { path: readonly string[]; key: string | null; value: string };

/** Text before a key: spaces, and the dashes of list items. */
const LINE = /^(\s*(?:- +)*)(?:"?([A-Za-z_]+)"?\s*:(?:\s+|$))?(.*)$/;
const FLOW_NAME = /^\{\s*"?name"?\s*:\s*("[^"]*"|[^,}]+)/;

/** Returns the lines with their keys, by indentation. */
function* linesOf(text: string): Generator<Line> {
  const above: { indent: number; key: string }[] = [];
  for (const line of text.split("\n")) {
    const [, lead = "", key = null, value = ""] = LINE.exec(line) ?? [];
    if (line.trim() === "" || value.trimStart().startsWith("#")) {
      yield { path: above.filter(({ indent }) => indent < line.length).map((each) => each.key), key: null, value: "" };
      continue;
    }
    while ((above.at(-1)?.indent ?? -1) >= lead.length) above.pop();
    yield { path: above.map((each) => each.key), key: key ?? null, value };
    if (key) above.push({ indent: lead.length, key });
  }
}

/** Returns the datasets, fields and metrics that a text names, in its order. */
export function readOutline(text: string): Outline {
  const outline: Outline = { datasets: [], metrics: [] };
  for (const { path, key, value } of linesOf(text)) {
    const list = path.at(-1);
    const name = key === "name" ? unquoted(value) : key === null ? unquoted(FLOW_NAME.exec(value)?.[1] ?? "") : "";
    const dataset = outline.datasets.at(-1);
    if (key === "source" && list === "datasets" && dataset) dataset.source = unquoted(value);
    if (name === "") continue;
    if (list === "datasets") outline.datasets.push({ name, source: "", fields: [] });
    if (list === "fields") dataset?.fields.push(name);
    if (list === "metrics") outline.metrics.push(name);
  }
  return outline;
}

/** Place of the cursor: the keys above its line, the line's own key, its dataset and the value up to the cursor. */
type OutlinePlace = Line & { dataset: string | null };

/** Returns the place at the end of a text that ends at the cursor. */
export function placeAt(before: string): OutlinePlace {
  let place: Line = { path: [], key: null, value: "" };
  for (const line of linesOf(before)) place = line;
  const dataset = place.path.includes("datasets") ? (readOutline(before).datasets.at(-1)?.name ?? null) : null;
  return { ...place, dataset };
}

function unquoted(value: string): string {
  const text = value.replace(/\s+#.*$/, "").trim();
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}
