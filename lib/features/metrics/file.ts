import { toPathText, toShownName } from "@/lib/base/values/problem-path";
import { openYaml } from "@/lib/base/yaml/read-yaml";
import { BadExpression, type Expression, type Name, parseExpression, walk } from "./expression";
import {
  type DataType,
  type FileDataset,
  type FileExpression,
  type FileMetric,
  type MetricFile,
  type MetricSettings,
  metricFile,
  metricSettings,
  VENDOR,
} from "./file-schema";

/* Parses and checks metric files. */

/** Maximum size of a file, in UTF-8 bytes: some 500 fields. Parsing a larger one would delay other requests. */
export const FILE_BYTES_MAX = 64 * 1024;
/** Number of parsed files that are kept: a query reads the files of its metrics each time. */
const PARSED_MAX = 50;
/** Problems that are reported at once. */
const PROBLEMS_MAX = 20;

/** A problem of a file. `line` is 1-based; null if no single line is the cause. */
export type Problem = { path: string; line: number | null; message: string };

export type Source = { connection: string; schema: string; table: string };
export type Field = {
  name: string;
  /** Null without an expression in ANSI_SQL. */
  expression: Expression | null;
  datatype: DataType | null;
  isTime: boolean;
  place: Place;
};
export type Dataset = {
  name: string;
  source: Source;
  /** The primary key and the unique keys. */
  keys: readonly (readonly string[])[];
  fields: readonly Field[];
  fieldsByName: ReadonlyMap<string, Field>;
  place: Place;
};
export type Relationship = {
  name: string;
  from: Dataset;
  to: Dataset;
  /** Pairs of equal columns. */
  columns: readonly { from: string; to: string }[];
};
export type Metric = {
  name: string;
  description: string;
  expression: Expression | null;
  time: { dataset: Dataset; field: Field } | null;
  semiAdditive: { dataset: Dataset; field: Field; take: "first" | "last" } | null;
  place: Place;
};
export type Model = {
  name: string;
  description: string;
  datasets: readonly Dataset[];
  relationships: readonly Relationship[];
  metrics: readonly Metric[];
  datasetsByName: ReadonlyMap<string, Dataset>;
  metricsByName: ReadonlyMap<string, Metric>;
  /** Fields of all datasets: a name may have several. */
  fieldsByName: ReadonlyMap<string, readonly { dataset: Dataset; field: Field }[]>;
};
/** Place of a definition in its file. */
export type Place = { path: string; line: number | null };
/** A reference of an expression: a field or a physical column of a dataset, or another metric. */
export type Target = { dataset: Dataset; field: Field } | { dataset: Dataset; column: string } | { metric: Metric };

type Parsed = { models: readonly Model[] } | { problems: Problem[] };
const parsed = new Map<string, Parsed>();

/** Parses a file. Every model that is returned is consistent: its expressions refer to what exists. */
export function parseMetricFile(text: string): Parsed {
  const known = parsed.get(text);
  if (known) return known;
  const file = parse(text);
  const [oldest] = parsed.keys();
  if (parsed.size >= PARSED_MAX && oldest !== undefined) parsed.delete(oldest);
  if (text.length <= FILE_BYTES_MAX) parsed.set(text, file);
  return file;
}

function parse(text: string): Parsed {
  if (Buffer.byteLength(text) > FILE_BYTES_MAX) {
    const message = `Metric files are limited to ${FILE_BYTES_MAX / 1024} KiB. Split the model.`;
    return { problems: [{ path: "", line: null, message }] };
  }
  const map = openYaml(text, { notAMap: "Use the keys version and semantic_model." });
  if ("error" in map) return { problems: [{ path: "", line: map.line, message: map.error }] };
  const outcome = metricFile.safeParse(map.value);
  if (!outcome.success) {
    return {
      problems: outcome.error.issues.slice(0, PROBLEMS_MAX).map((issue) => {
        const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
        const message =
          issue.code === "unrecognized_keys" ? `“${toShownName(issue.keys[0] ?? "")}” is unknown.` : issue.message;
        return { path: toPathText(path), line: map.lineAt(path) ?? map.lineAt(issue.path.slice(0, -1)), message };
      }),
    };
  }
  return new Reader(map.lineAt).read(outcome.data);
}

/**
 * Returns what a reference of a metric means.
 * @param isInside whether it is inside an aggregate
 * @returns a sentence for a reference that means nothing, or several things
 */
export function targetOf(
  { datasets, datasetsByName, metricsByName, fieldsByName }: Model,
  { dataset, name }: { dataset: Name | null; name: Name },
  isInside: boolean,
): Target | string {
  if (dataset) {
    const found = named(datasetsByName, dataset);
    if (!found) return `Unknown dataset “${dataset.text}”.`;
    const field = named(found.fieldsByName, name);
    return field ? { dataset: found, field } : { dataset: found, column: columnOf(name) };
  }
  if (!isInside) {
    const metric = named(metricsByName, name);
    return metric ? { metric } : `“${name.text}” is not a metric. Use columns inside an aggregate, such as SUM.`;
  }
  const found = (fieldsByName.get(keyOf(name.text)) ?? []).filter(({ field }) => isNamed(field, name));
  if (found.length > 1) {
    return `Several datasets have “${name.text}”. Use ${found.map((each) => `${each.dataset.name}.${name.text}`).join(" or ")}.`;
  }
  const [only, another] = datasets;
  if (found[0]) return found[0];
  return only && !another
    ? { dataset: only, column: columnOf(name) }
    : `Unknown field “${name.text}”. Use dataset.field.`;
}

/** Returns the physical column of a name: one without quotes is lower case, as databases store it. */
export function columnOf({ text, isQuoted }: Name): string {
  return isQuoted ? text : text.toLowerCase();
}

/** Names differ by more than case, as refuseTwice ensures. */
function keyOf(name: string): string {
  return name.toLowerCase();
}

function byName<T extends { name: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [keyOf(item.name), item]));
}

function named<T extends { name: string }>(items: ReadonlyMap<string, T>, name: Name): T | null {
  const item = items.get(keyOf(name.text));
  return item && isNamed(item, name) ? item : null;
}

function isNamed(item: { name: string }, { text, isQuoted }: Name): boolean {
  return isQuoted ? item.name === text : keyOf(item.name) === keyOf(text);
}

/** Parses `connection.schema.table`; a part in double quotes may contain dots. Null for anything else. */
export function parseSource(text: string): Source | null {
  const parts = text.match(/"(?:[^"]|"")+"|[^."]+/g) ?? [];
  if (parts.join(".") !== text || parts.length < 3 || /[\0\n\r;()]/.test(text)) return null;
  const names = parts.map((part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part));
  // The name of a connection may contain dots.
  return { connection: names.slice(0, -2).join("."), schema: names.at(-2) ?? "", table: names.at(-1) ?? "" };
}

const TIME_TYPES: ReadonlySet<DataType> = new Set(["Date", "Time", "DateTime", "DateTimeTz"]);

type Path = readonly PropertyKey[];
type RawModel = MetricFile["semantic_model"][number];

class Reader {
  private readonly problems: Problem[] = [];
  constructor(private readonly lineAt: (path: Path) => number | null) {}

  read({ semantic_model }: MetricFile): { models: Model[] } | { problems: Problem[] } {
    const at: Path = ["semantic_model"];
    this.refuseTwice(semantic_model, at, "model");
    const metrics = new Set<string>();
    const models = semantic_model.map((raw, index) => {
      const path = [...at, index];
      for (const [each, { name }] of (raw.metrics ?? []).entries()) {
        if (metrics.has(keyOf(name))) this.add([...path, "metrics", each, "name"], twice("metric", name));
        metrics.add(keyOf(name));
      }
      return this.model(raw, path);
    });
    return this.problems.length > 0 ? { problems: this.problems.slice(0, PROBLEMS_MAX) } : { models };
  }

  private add(path: Path, message: string): void {
    this.problems.push({ ...this.place(path), message });
  }

  private place(path: Path): Place {
    return { path: path.join("."), line: this.lineAt(path) };
  }

  private refuseTwice(items: readonly { name: string }[], path: Path, noun: string): void {
    const seen = new Set<string>();
    for (const [index, { name }] of items.entries()) {
      if (seen.has(keyOf(name))) this.add([...path, index, "name"], twice(noun, name));
      seen.add(keyOf(name));
    }
  }

  private model(raw: RawModel, path: Path): Model {
    this.refuseTwice(raw.datasets, [...path, "datasets"], "dataset");
    this.refuseTwice(raw.relationships ?? [], [...path, "relationships"], "relationship");
    const datasets = raw.datasets.map((each, index) => this.dataset(each, [...path, "datasets", index]));
    const relationships = this.relationships(raw, datasets, [...path, "relationships"]);
    const at = [...path, "metrics"];
    const metrics = (raw.metrics ?? []).map((each, index) => this.metric(each, datasets, [...at, index]));
    const all = datasets.flatMap((each) => each.fields.map((field) => ({ dataset: each, field })));
    const model: Model = {
      ...{ name: raw.name, description: raw.description ?? "", datasets, relationships, metrics },
      datasetsByName: byName(datasets),
      metricsByName: byName(metrics),
      fieldsByName: Map.groupBy(all, ({ field }) => keyOf(field.name)),
    };
    const done = new Set<Metric>();
    for (const [index, metric] of metrics.entries()) this.checkMetric(model, metric, [...at, index], done);
    return model;
  }

  private dataset(raw: FileDataset, path: Path): Dataset {
    const source = parseSource(raw.source);
    if (!source) this.add([...path, "source"], "Use <connection>.<schema>.<table>. Queries are not supported.");
    const at = [...path, "fields"];
    this.refuseTwice(raw.fields ?? [], at, "field");
    const fields = (raw.fields ?? []).map((field, index) => {
      const expression = this.expression(field.expression, [...at, index]);
      const datatype = field.datatype ?? null;
      const isTime = field.dimension?.is_time ?? (datatype !== null && TIME_TYPES.has(datatype));
      if (expression) this.checkField(raw.name, expression, [...at, index]);
      return { name: field.name, expression, datatype, isTime, place: this.place([...at, index]) };
    });
    const keys = [...(raw.primary_key ? [raw.primary_key] : []), ...(raw.unique_keys ?? [])];
    const none = { connection: "", schema: "", table: "" };
    return {
      name: raw.name,
      source: source ?? none,
      keys,
      fields,
      fieldsByName: byName(fields),
      place: this.place(path),
    };
  }

  private expression({ dialects }: FileExpression, path: Path): Expression | null {
    const index = dialects.findIndex(({ dialect }) => dialect === "ANSI_SQL");
    const text = dialects[index]?.expression;
    if (text === undefined) return null;
    try {
      return parseExpression(text);
    } catch (error) {
      if (!(error instanceof BadExpression)) throw error;
      const place = this.place(expressionPath(path, index));
      const problem = { ...place, message: `${error.message} (character ${error.at + 1})` };
      this.problems.push(problem);
      return null;
    }
  }

  private checkField(dataset: string, expression: Expression, path: Path): void {
    walk(expression, (part) => {
      if (part.kind === "aggregate") this.add([...path, "expression"], "Fields must not contain aggregates.");
      if (part.kind === "reference" && part.dataset && !isNamed({ name: dataset }, part.dataset)) {
        this.add([...path, "expression"], `A field uses columns of its dataset only, not “${part.dataset.text}”.`);
      }
      return undefined;
    });
  }

  private relationships(raw: RawModel, datasets: Dataset[], path: Path): Relationship[] {
    const find = (name: string) => datasets.find((each) => each.name === name);
    const relationships = (raw.relationships ?? []).flatMap((each, index): Relationship[] => {
      const at = [...path, index];
      const [from, to] = [find(each.from), find(each.to)];
      if (!from) this.add([...at, "from"], `Unknown dataset “${each.from}”.`);
      if (!to) this.add([...at, "to"], `Unknown dataset “${each.to}”.`);
      if (each.from_columns.length !== each.to_columns.length) {
        this.add([...at, "to_columns"], "from_columns and to_columns must have the same number of columns.");
      }
      if (!from || !to) return [];
      const columns = each.from_columns.map((column, i) => ({ from: column, to: each.to_columns[i] ?? "" }));
      return [{ name: each.name, from, to, columns }];
    });
    const circle = findCircle(relationships);
    if (circle) {
      const index = (raw.relationships ?? []).findIndex(({ name }) => name === circle[0]?.name);
      const names = [...circle.map(({ from }) => from.name), circle[0]?.from.name].join(" → ");
      this.add(
        [...path, index],
        `Relationships must not form a cycle: ${names}. Define a second dataset on the table.`,
      );
    }
    return relationships;
  }

  private metric(raw: FileMetric, datasets: Dataset[], path: Path): Metric {
    const settings = this.settings(raw, path);
    const find = (name: string | undefined, key: string) => {
      if (name === undefined) return null;
      const found = fieldNamed(datasets, name);
      if (!found) this.add([...path, "custom_extensions"], `${key}: Unknown field “${name}”. Use dataset.field.`);
      return found;
    };
    const over = find(settings.semiAdditive?.over, "semiAdditive.over");
    return {
      name: raw.name,
      description: raw.description ?? "",
      expression: this.expression(raw.expression, path),
      time: find(settings.time, "time"),
      semiAdditive: over && { ...over, take: settings.semiAdditive?.take ?? "last" },
      place: this.place(path),
    };
  }

  private settings({ custom_extensions }: FileMetric, path: Path): MetricSettings {
    const index = custom_extensions?.findIndex(({ vendor_name }) => vendor_name === VENDOR) ?? -1;
    const data = custom_extensions?.[index]?.data;
    if (data === undefined) return {};
    try {
      const outcome = metricSettings.safeParse(JSON.parse(data));
      if (outcome.success) return outcome.data;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    const example = '{"time": "orders.ordered_at", "semiAdditive": {"over": "stock.day", "take": "last"}}';
    this.add([...path, "custom_extensions", index, "data"], `Use JSON such as ${example}.`);
    return {};
  }

  /** Checks that each reference of a metric means one thing, and that metrics do not refer to each other in a circle. */
  private checkMetric(model: Model, metric: Metric, path: Path, done: Set<Metric>): void {
    const at = [...path, "expression"];
    const check = (tree: Expression, isInside: boolean) =>
      walk(tree, (part) => {
        if (part.kind === "aggregate") {
          if (part.value) check(part.value, true);
          return false;
        }
        if (part.kind !== "reference") return undefined;
        const target = targetOf(model, part, isInside);
        if (typeof target === "string") this.add(at, target);
        else if (!isInside && !("metric" in target)) {
          this.add(at, `“${part.name.text}” is not aggregated. Use it inside an aggregate, such as SUM.`);
        } else if ("field" in target && target.field.expression === null) {
          this.add(at, `“${target.field.name}” has no expression in ANSI_SQL.`);
        }
        return undefined;
      });
    if (!metric.expression) return;
    check(metric.expression, false);
    if (isCircular(model, metric, new Set(), done)) this.add(at, "Metrics must not refer to each other in a circle.");
  }
}

/** Returns the field of a qualified name. */
export function fieldNamed(datasets: readonly Dataset[], name: string): { dataset: Dataset; field: Field } | null {
  for (const dataset of datasets) {
    const field = dataset.fields.find((each) => `${dataset.name}.${each.name}` === name);
    if (field) return { dataset, field };
  }
  return null;
}

/** @param done metrics that are known to be in no circle */
function isCircular(model: Model, metric: Metric, above: ReadonlySet<Metric>, done: Set<Metric>): boolean {
  if (above.has(metric)) return true;
  if (done.has(metric)) return false;
  const path = new Set([...above, metric]);
  let found = false;
  if (metric.expression) {
    walk(metric.expression, (part) => {
      if (part.kind === "aggregate") return false;
      const target = part.kind === "reference" ? targetOf(model, part, false) : null;
      if (target && typeof target !== "string" && "metric" in target) {
        found ||= isCircular(model, target.metric, path, done);
      }
      return undefined;
    });
  }
  if (!found) done.add(metric);
  return found;
}

/** Returns the relationships of a cycle; null for none. */
function findCircle(relationships: readonly Relationship[]): Relationship[] | null {
  const done = new Set<Dataset>();
  const visit = (dataset: Dataset, above: Relationship[]): Relationship[] | null => {
    const start = above.findIndex(({ from }) => from === dataset);
    if (start !== -1) return above.slice(start);
    if (done.has(dataset)) return null;
    for (const each of relationships.filter(({ from }) => from === dataset)) {
      const found = visit(each.to, [...above, each]);
      if (found) return found;
    }
    done.add(dataset);
    return null;
  };
  for (const { from } of relationships) {
    const found = visit(from, []);
    if (found) return found;
  }
  return null;
}

function expressionPath(path: Path, index: number): Path {
  return [...path, "expression", "dialects", index, "expression"];
}

function twice(noun: string, name: string): string {
  return `Two ${noun}s are named “${name}”. Rename one.`;
}
