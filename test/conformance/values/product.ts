import { tableFromIPC } from "apache-arrow";
import { ObjectId } from "mongodb";
import type { WireValue } from "@/lib/base/values/fields";
import { query } from "@/lib/features/agent/tools/queries";
import type { Caller } from "@/lib/platform/access/caller";
import { call } from "@/test/client";
import { authorOf } from "@/test/fixtures/apps/app-author";
import { appDocOf, askData, bindingText, callerOf, serve } from "@/test/fixtures/apps/bindings/binding-world";
import type { Person } from "@/test/seed";
import { type Depth, isSame, isSameNumber, isSameTime, shownText, type ValueTable } from "./ways";

/*
 * Paths through the product: what dashboards, apps and the agent show of one wide result with a column for each type.
 */

export type Product = { person: Person; caller: Caller; connectionId: string };

type Row = Record<string, unknown>;
type Found = { way: string; type: string; value: string; found: string };

/** Filtered columns of one dashboard: the maximum in its filter bar. */
const FILTERS_MAX = 40;
const ANY = new AbortController().signal;
/** The sample filters by each eighth column. */
const SAMPLED = 8;
/** Longer values cannot be selected from lists, and the model sees only their start. */
const SHORT_CHARS = 40;

export async function productOf(person: Person, connectionId: string): Promise<Product> {
  return { person, connectionId, caller: await callerOf(person) };
}

/** @param statement returns `id`, and `c0`, `c1` ... with the values of each table */
export async function throughProduct(
  product: Product,
  tables: readonly ValueTable[],
  statement: string,
  depth: Depth,
): Promise<{ cells: number; differences: string[] }> {
  const ways: Record<string, () => Promise<Found[]>> = {
    "dataset, widget and drill": () => dashboards(product, tables, statement, depth),
    "app binding": () => bindings(product, tables, statement),
    agent: () => agent(product, tables, statement),
  };
  const differences: string[] = [];
  for (const [name, check] of Object.entries(ways)) {
    const failed = (error: unknown): Found[] => [{ way: name, type: "", value: "", found: String(error) }];
    for (const { way, type, value, found } of await check().catch(failed)) {
      differences.push(`${type}, ${way}: ${value.slice(0, 200)}, found ${found.slice(0, 300)}`);
    }
  }
  const rows = tables.reduce((sum, { shown }) => sum + shown.size, 0);
  // Table, drill-through, JSON and Arrow of a binding, the agent.
  return { cells: rows * 5, differences };
}

/** @param isAlike further values that count as equal to a displayed one */
function compareRows(way: string, tables: readonly ValueTable[], rows: readonly Row[], isAlike = neither): Found[] {
  const byId = new Map(rows.map((row) => [Number(row.id), row]));
  return tables.flatMap(({ type, shown }, index) =>
    [...shown].flatMap(([id, expected]) => {
      const cell = byId.get(id)?.[`c${index}`];
      const found = cell === undefined || cell === null ? null : shownText(cell as WireValue);
      if (isEqual(expected, found, type.form) || isAlike(expected, found)) return [];
      return [{ way, type: type.type, value: String(expected), found: String(found) }];
    }),
  );
}

function isEqual(left: string | null, right: string | null, form: ValueTable["type"]["form"]): boolean {
  return isSame(left, right, form) || isSameNumber(left, right) || isSameTime(left, right);
}

const neither = (_expected: string | null, _found: string | null) => false;

async function dashboards(
  { person, connectionId }: Product,
  tables: readonly ValueTable[],
  statement: string,
  depth: Depth,
) {
  const root = `/api/workspaces/${person.workspaceId}/dashboards`;
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, root + path, { ...person, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text.slice(0, 300)}`);
    return answer.json.data;
  };
  const columns = tables.map((_, index) => index);
  const filtered = columns.filter((index) => depth === "whole" || index % SAMPLED === 0).slice(0, FILTERS_MAX);
  const source = { datasetId: "d" };
  const { id } = await send("POST", "", {
    title: "Matrix",
    datasets: [{ id: "d", name: "D", source: { connectionId, query: statement } }],
    widgets: ["a", "b"].map((each) => ({ id: each, kind: "table", source, spec: {} })),
    filters: filtered.map((index) => ({ id: `f${index}`, kind: "select", field: `c${index}` })),
  });
  const { widgets } = await send("GET", `/${id}/data`);
  const [first] = widgets;
  if (first.error) throw new Error(first.error);
  const found = compareRows("widget", tables, first.rows);
  const behind = await send("GET", `/${id}/data?widget=a&rows=true`);
  found.push(...compareRows("drill", tables, behind.widgets[0].rows));
  for (const index of filtered) {
    const table = tables[index] as ValueTable;
    found.push(...(await narrowed(table, index, (method, path, body) => send(method, `/${id}${path}`, body))));
  }
  return found;
}

/** Returns a column's list of values, and the rows after selecting the first one. */
async function narrowed(
  { type, shown }: ValueTable,
  index: number,
  // biome-ignore lint/suspicious/noExplicitAny: answers, key by key
  send: (method: string, path: string, body?: unknown) => Promise<any>,
): Promise<Found[]> {
  const { values } = await send("GET", `/filters/f${index}/values`);
  const offered = (values as { value: WireValue; count: number }[]).map(({ value }) => shownText(value));
  const isIn = (list: readonly (string | null)[], text: string | null) =>
    list.some((each) => isEqual(each, text, type.form));
  const all = [...shown.values()];
  const missing = all.filter((text) => (text?.length ?? 0) < SHORT_CHARS && !isIn(offered, text));
  // If a table has fewer rows than the result, a list or map without null is empty there.
  const more = offered.filter((text) => text !== null && text !== "{}" && text !== "[]" && !isIn(all, text));
  const found: Found[] = [...new Set(missing), ...more].map((text) => ({
    way: "values",
    type: type.type,
    value: String(text),
    found: JSON.stringify(offered).slice(0, 200),
  }));
  const chosen = (values as { value: WireValue }[]).find(({ value }) => value !== null && typeof value !== "object");
  if (!chosen) return found;
  const text = shownText(chosen.value);
  const answer = await send("POST", "/data", { widget: "b", filters: { "@a": { [`c${index}`]: [chosen.value] } } });
  const ids = (answer.widgets[0].rows as Row[])
    .map((row) => Number(row.id))
    .filter((id) => shown.has(id))
    .sort((a, b) => a - b);
  const alike = [...shown].filter(([, each]) => isEqual(each, text, type.form));
  const expected = alike.map(([id]) => id).sort((a, b) => a - b);
  if (ids.join() !== expected.join()) {
    found.push({
      way: "click",
      type: type.type,
      value: `${text}: ${expected}`,
      found: answer.widgets[0].error ?? ids.join(),
    });
  }
  return found;
}

async function bindings({ person, caller, connectionId }: Product, tables: readonly ValueTable[], statement: string) {
  const app = await authorOf(person, person.workspaceId).make(new ObjectId().toHexString(), { access: "workspace" });
  const doc = await appDocOf(person.workspaceId, app.id);
  const { sha } = await serve(doc, caller, { wide: bindingText(connectionId, statement) });
  const at = { kind: "deployment" as const, sha };
  const json = await (await askData(doc, at, "wide.json")).json();
  const arrow = tableFromIPC(new Uint8Array(await (await askData(doc, at, "wide.arrow")).arrayBuffer()));
  const rows = arrow.toArray().map((row) => {
    const cells = Object.entries((row as { toJSON(): Row }).toJSON());
    return Object.fromEntries(
      cells.map(([name, value]) => [
        name,
        value instanceof Uint8Array
          ? Buffer.from(value).toString("base64")
          : value === null || value === undefined
            ? null
            : String(value),
      ]),
    );
  });
  return [...compareRows("binding, JSON", tables, json.rows), ...compareRows("binding, Arrow", tables, rows)];
}

/** The model sees the start of a long cell, followed by a mark. */
async function agent({ caller, connectionId }: Product, tables: readonly ValueTable[], statement: string) {
  const answer = await query(
    {
      caller,
      signal: ANY,
      requireGrant: async () => {},
      mayWriteByQuery: async () => false,
      chat: null,
    },
    { connectionId, query: statement, limit: 50 },
  );
  const rows = JSON.parse(JSON.stringify(answer.rows)) as Row[];
  const seen = new Set(rows.map((row) => Number(row.id)));
  const isCut = (expected: string | null, found: string | null) =>
    expected !== null && found !== null && expected.length > SHORT_CHARS && expected.startsWith(found.slice(0, 20));
  const shown = tables.map((table) => ({ ...table, shown: new Map([...table.shown].filter(([id]) => seen.has(id))) }));
  if (seen.size === 0) throw new Error("The agent sees no row.");
  return compareRows("agent", shown, rows, isCut);
}
