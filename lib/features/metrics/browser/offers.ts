import type { Entity } from "@/lib/base/values/fields";
import { type OutlineDataset, placeAt, readOutline } from "./outline";

/* Completion of metric files. */

export type MetricOffer = { label: string; detail: string; kind: "key" | "value" | "table" | "column" | "metric" };
/** A connection of the workspace, with the tables that are known. */
export type KnownConnection = { name: string; entities: readonly Entity[] };

const KEYS: Readonly<Record<string, readonly string[]>> = {
  "": ["version", "semantic_model"],
  semantic_model: ["name", "description", "datasets", "relationships", "metrics", "ai_context"],
  datasets: ["name", "source", "primary_key", "unique_keys", "description", "fields", "ai_context"],
  fields: ["name", "expression", "datatype", "dimension", "label", "description", "ai_context"],
  relationships: ["name", "from", "to", "from_columns", "to_columns", "ai_context"],
  metrics: ["name", "description", "expression", "datatype", "ai_context", "custom_extensions"],
  expression: ["dialects"],
  dialects: ["dialect", "expression"],
  dimension: ["is_time"],
  ai_context: ["synonyms", "instructions", "examples"],
  custom_extensions: ["vendor_name", "data"],
};
const VALUES: Readonly<Record<string, readonly string[]>> = {
  version: ["0.2.0.dev0", "0.1.1"],
  dialect: ["ANSI_SQL"],
  datatype: ["String", "Integer", "Decimal", "Float", "Boolean", "Date", "Time", "DateTime", "DateTimeTz"],
  is_time: ["true", "false"],
  vendor_name: ["MILLRACE"],
  data: [`'{"time": "dataset.field"}'`, `'{"semiAdditive": {"over": "dataset.field", "take": "last"}}'`],
};
const AGGREGATES = ["SUM", "COUNT", "AVG", "MIN", "MAX", "COUNT(DISTINCT"];
const COLUMN_LISTS = new Set(["primary_key", "unique_keys", "from_columns", "to_columns"]);

/** Maximum number of offers: the list filters as the user types. */
const OFFERS_MAX = 500;

/**
 * Returns the words that fit at the end of a text.
 * @param before the text up to the cursor
 * @param text the whole text
 */
export function offerMetricWords(before: string, text: string, connections: readonly KnownConnection[]): MetricOffer[] {
  const place = placeAt(before);
  const { path, key, value, dataset } = place;
  const outline = readOutline(text);
  const own = outline.datasets.find(({ name }) => name === dataset);
  if (key === null) {
    const offers = /^[\w ]*$/.test(value) ? (KEYS[path.at(-1) ?? ""] ?? []) : [];
    return offers.map((label) => ({ label: `${label}: `, detail: "", kind: "key" }));
  }
  if (key === "source") return sourcesOf(connections, value).slice(0, OFFERS_MAX);
  if (key === "from" || key === "to") {
    return outline.datasets.map(({ name }) => ({ label: name, detail: "dataset", kind: "table" }));
  }
  if (COLUMN_LISTS.has(key)) {
    const among = own ? [own] : outline.datasets;
    return among.flatMap((each) => columnsOf(each, connections)).slice(0, OFFERS_MAX);
  }
  if (key !== "expression") return (VALUES[key] ?? []).map((label) => ({ label, detail: "", kind: "value" }));
  if (path.includes("fields")) return own ? columnsOf(own, connections).slice(0, OFFERS_MAX) : [];
  const qualifier = /([\w]+)\.\w*$/.exec(value)?.[1];
  const qualified = outline.datasets.find(({ name }) => name === qualifier);
  if (qualified) {
    const fields = qualified.fields.map((label): MetricOffer => ({ label, detail: "field", kind: "column" }));
    const columns = columnsOf(qualified, connections).filter(({ label }) => !qualified.fields.includes(label));
    return [...fields, ...columns].slice(0, OFFERS_MAX);
  }
  return [
    ...outline.datasets.map(({ name }): MetricOffer => ({ label: name, detail: "dataset", kind: "table" })),
    ...outline.metrics.map((label): MetricOffer => ({ label, detail: "metric", kind: "metric" })),
    ...AGGREGATES.map((label): MetricOffer => ({ label, detail: "aggregate", kind: "value" })),
  ];
}

/** Returns the tables of the connection that is typed, else the connections. */
function sourcesOf(connections: readonly KnownConnection[], typed: string): MetricOffer[] {
  const named = connections.filter(({ name }) => typed.startsWith(`${name}.`));
  if (named.length === 0)
    return connections.map(({ name }) => ({ label: `${name}.`, detail: "connection", kind: "table" }));
  return named.flatMap(({ name, entities }) =>
    entities.map((entity): MetricOffer => ({ label: sourceOf(name, entity), detail: entity.kind, kind: "table" })),
  );
}

/** Returns the source of a dataset over a table. */
export function sourceOf(connection: string, { schema = "main", name }: Pick<Entity, "schema" | "name">): string {
  return [connection, quoted(schema), quoted(name)].join(".");
}

/** Returns the physical columns of a dataset's table, if it is known. */
function columnsOf({ source }: OutlineDataset, connections: readonly KnownConnection[]): MetricOffer[] {
  for (const { name, entities } of connections) {
    const entity = entities.find((each) => sourceOf(name, each) === source);
    if (entity) return (entity.columns ?? []).map((each) => ({ label: each.name, detail: each.type, kind: "column" }));
  }
  return [];
}

function quoted(name: string): string {
  return /^[A-Za-z0-9_$]+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
