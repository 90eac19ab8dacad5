import { toKeptSpec } from "@/lib/base/charts/kept-spec";
import type { ChartKind } from "@/lib/base/charts/settings";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { Plan } from "./plan";
import { displayColumns, type Schema } from "./schema";

/** Reads what a question says about a chart, and describes the chart. */

/** A null kind leaves it to the rows: times are a line. */
export type ChartAsk = { kind: ChartKind | null };

/** Groups of a chart: one along the axis and one by colour. */
const GROUPS_MAX = 2;
const KINDS: Readonly<Record<string, ChartKind>> = {
  bar: "bar", bars: "bar", column: "bar", line: "line", area: "area", pie: "pie", donut: "pie", doughnut: "pie",
}; // biome-ignore format: a table
const KIND = `(?:${Object.keys(KINDS).join("|")})`;
const CHART = `(?:${KIND}[ -])?(?:chart|graph|plot|diagram)`;
const AT_END = new RegExp(
  `,?\\s*\\b(?:as|in|into|on|with|using) (?:an? |the )?(${CHART})(?: instead)?(?: please)?[?.!]?\\s*$`,
  "i",
);
const AT_START = new RegExp(
  `^\\s*(?:please )?(?:can you |could you )?(?:(?:show|give|draw|make|create|plot|display)(?: me| us)? )?(?:an? |the )?(${CHART})(?: please)?[?.!]?(?: (?:of|for|with|showing)\\b|\\s*$)`,
  "i",
);
const VERB = /^\s*(?:please )?(?:can you |could you )?(?:draw|plot|chart|graph|visuali[sz]e)\b(?: me)?/i;
/** Rest of a request that names nothing but the chart: "show it". */
const NOTHING =
  /^\s*(?:please )?(?:and(?:\s|$))?(?:now(?:\s|$))?(?:can you |could you )?(?:show|give|draw|make|display|turn|put|see)?(?: me)?(?: it| this| that| them| these| those| the results?)?[?.!,]?\s*$/i;

/**
 * Returns the question without its request for a chart, "" for "show it as a bar chart". Null without such a request,
 * or if the names of the database have the word.
 */
export function readChart(text: string, { tables }: Schema): { question: string; ask: ChartAsk } | null {
  const isNamed = tables.some(({ words, columns }) =>
    [words, ...columns.map((column) => column.words)].some((name) =>
      name.some((word) => /^(?:chart|graph|plot|diagram)$/.test(word)),
    ),
  );
  if (isNamed) return null;
  const found = AT_END.exec(text) ?? AT_START.exec(text) ?? VERB.exec(text);
  if (!found) return null;
  const rest = `${text.slice(0, found.index)}${text.slice(found.index + found[0].length)}`.trim();
  const [word = ""] = (found[1] ?? "").toLowerCase().split(/[ -]/);
  return { question: NOTHING.test(rest) ? "" : rest, ask: { kind: KINDS[word] ?? null } };
}

const NO_GROUPS = "A chart needs a figure by one or two groups, such as revenue by month.";

/**
 * Returns the chart of a plan's figures by its groups, or the reason why there is none: no figure, no group, more groups
 * than a chart shows, or rows that it would add up.
 * @param rows those that were read, of `rowCount`
 */
export function chartOf(
  { outputs, measures, hiddenKeys, order, countedAs }: Plan,
  { kind }: ChartAsk,
  {
    fields,
    rows,
    rowCount,
  }: { fields: readonly ResultField[]; rows: readonly Record<string, unknown>[]; rowCount: number },
): { title: string; spec: Record<string, unknown> } | string {
  // A ranking that shows many columns of a row is one of the rows' names.
  const name = outputs.find(({ ref: { table, column } }) => displayColumns(table).includes(column));
  const isRow = outputs.every(({ kind: of, ref }) => of !== "time" && ref.table === name?.ref.table);
  if (outputs.length > GROUPS_MAX && !isRow) return NO_GROUPS;
  const [across, colour] = outputs.length > GROUPS_MAX ? [name] : outputs;
  const [measure] = measures;
  if (!across || !measure || countedAs !== null) return NO_GROUPS;
  const shown = rows.map((row) => JSON.stringify([row[across.alias], colour && row[colour.alias]]));
  // Rows that differ in other columns may share the name.
  const isNamed = hiddenKeys.length > 0 || outputs.length > GROUPS_MAX;
  if (new Set(shown).size < shown.length || (isNamed && rowCount > rows.length))
    return `A chart by ${across.alias.replaceAll("_", " ")} would add up rows that share it, so the rows are shown.`;
  const isTime = across.kind === "time";
  const settings = {
    kind: kind ?? (isTime ? "line" : "bar"),
    across: across.alias,
    up: [{ of: "sum" as const, column: measure.alias }],
    colour: colour?.alias ?? null,
    stack: "stacked" as const,
    sort: isTime || order.length > 0 ? ("given" as const) : ("value" as const),
    top: null,
  };
  const title = `${measure.alias} by ${across.alias}${colour ? ` and ${colour.alias}` : ""}`.replaceAll("_", " ");
  return { title: title.charAt(0).toUpperCase() + title.slice(1), spec: toKeptSpec(settings, fields) };
}
