import "server-only";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { shiftOf, toBound } from "@/lib/base/values/period";
import { findConnectionsNamed } from "@/lib/features/connections/by-name";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { listEntities } from "@/lib/features/connections/service";
import type { ResultFormat } from "@/lib/features/query/schema";
import { executeQuery } from "@/lib/features/query/service";
import { requireZone } from "@/lib/features/query/zone";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { isAdditive } from "./additive";
import { requireValid, sentenceOf } from "./content";
import { type Expression, walk } from "./expression";
import { columnOf, type Dataset, type Metric, type Model, type Place, parseMetricFile, targetOf } from "./file";
import { planQuestion, type Question, toPreviousName } from "./plan";
import type { MetricQueryBody } from "./schema";
import { findDefinitions } from "./service";

type Planned = {
  sql: string;
  dialect: SqlDialect;
  connection: ConnectionDoc;
  datasets: ReadonlySet<Dataset>;
  definitions: readonly Definition[];
};

/** Returns the statement of a question. @throws AppError as `queryMetrics` */
export async function explainMetrics(caller: Caller, body: MetricQueryBody): Promise<{ sql: string; dialect: string }> {
  const { sql, dialect } = await plan(caller, body);
  return { sql, dialect };
}

/**
 * Returns the statement of a question, and the connection that it is for. Values in the columns `unsummable` do not add
 * up to the value of all groups.
 * @throws AppError as `queryMetrics`
 */
export async function planMetrics(
  caller: Caller,
  body: MetricQueryBody,
): Promise<{ sql: string; connectionId: string; unsummable: string[] }> {
  const { sql, connection, definitions } = await plan(caller, body);
  const unsummable = definitions.flatMap(({ name, model, metric }) =>
    isAdditive(model, metric) ? [] : [name, toPreviousName(name)],
  );
  return { sql, connectionId: connection._id.toHexString(), unsummable };
}

/**
 * Answers a question about metrics: plans one statement, and runs it read-only as a query of the caller.
 * @throws AppError invalid_request for names that do not exist or are ambiguous, and for questions without a right
 * answer; query_failed with path and line for a column that the table no longer has; as `executeQuery` otherwise
 */
export async function queryMetrics(
  caller: Caller,
  body: MetricQueryBody,
  { format, signal }: { format: ResultFormat; signal: AbortSignal },
): Promise<Response> {
  const planned = await plan(caller, body);
  const { connection, sql, dialect } = planned;
  const { limit, timeoutMs, executionId } = body;
  const origin = { kind: "adhoc" as const, id: connection._id };
  const request = {
    connection,
    origin,
    statement: { query: sql },
    limit,
    timeoutMs,
    executionId,
    readOnly: true,
    signal,
  };
  try {
    return await executeQuery(caller, { ...request, facts: { sql, dialect } }, format);
  } catch (error) {
    throw await explained(caller, error, planned, signal);
  }
}

async function plan(caller: Caller, body: MetricQueryBody): Promise<Planned> {
  const { content } = body;
  if (content !== undefined) await requireValid(caller, content);
  const metrics = await Promise.all(
    body.metrics.map((name, index) => {
      const path = `metrics.${index}`;
      return content === undefined
        ? definitionOf(caller, name, path)
        : definitionIn({ content, file: "the text" }, name, name, path);
    }),
  );
  const [first] = metrics;
  if (!first) throw invalidInput("metrics", "Name at least one metric.");
  const label = labelOf(first.model, first.metric);
  const [connection, other] = await findConnectionsNamed(caller.workspaceId, label);
  if (!connection) throw invalidInput("metrics.0", `Connection “${label}” not found. Rename it in ${first.file}.`);
  if (other) throw invalidInput("metrics.0", `Several connections are named “${label}”. Use the ID of one.`);
  const { dialect } = driverOf(connection.type);
  if (!dialect) throw invalidInput("metrics.0", `Connection “${label}” can't be queried by SQL.`);
  const { sql, datasets } = planQuestion(questionOf(body, metrics), dialect);
  for (const { name, source } of datasets) {
    if (source.connection !== label) {
      throw invalidInput("metrics", `${name} is on “${source.connection}”, not on “${label}”. Query them separately.`);
    }
  }
  return { sql, dialect, connection, datasets, definitions: metrics };
}

function questionOf(body: MetricQueryBody, metrics: Question["metrics"]): Question {
  const { dimensions = [], filters = [], compare, orderBy = [], limit = null } = body;
  const zone = requireZone(body.timezone ?? "UTC");
  const bound = (text: string | undefined, isEnd: boolean, path: string) => {
    const found = text === undefined ? null : toBound(text, zone, isEnd);
    if (found && Number.isNaN(found.instant)) throw invalidInput(path, "This date does not exist.");
    return found;
  };
  const period = { from: bound(body.from, false, "from"), to: bound(body.to, true, "to") };
  const { from, to } = period;
  if (from && to && from.local >= to.local) throw invalidInput("to", "The period ends before it starts.");
  if (compare && !(from && to)) throw invalidInput("compare", "A comparison needs from and to.");
  const columns = [...dimensions.map(({ name }) => name), ...metrics.map(({ name }) => name)];
  if (new Set(columns).size < columns.length) throw invalidInput("dimensions", "Name each metric and dimension once.");
  const shift = compare && from && to ? shiftOf({ from, to }, compare) : null;
  return { metrics, dimensions, filters, period, zone, shift, orderBy, limit };
}

/** `file` is the name of the file in messages. */
type Definition = { name: string; model: Model; metric: Metric; file: string };

/** Returns a metric by `name`, or by `file.name`. */
async function definitionOf(caller: Caller, name: string, path: string): Promise<Definition> {
  const dot = name.indexOf(".");
  const [file, metricName] = dot === -1 ? [undefined, name] : [name.slice(0, dot), name.slice(dot + 1)];
  const docs = await findDefinitions(caller, metricName, file);
  const [doc, another] = docs;
  if (!doc) throw invalidInput(path, `Unknown metric “${name}”.`);
  if (another) {
    const choices = docs.map((each) => `${each.path}.${metricName}`).sort();
    const message = `Several files define “${name}”. Use ${choices.join(" or ")}.`;
    throw new AppError("invalid_request", message, { details: [{ path, message, choices }] });
  }
  return definitionIn({ content: doc.content, file: `metrics/${doc.path}.yml` }, metricName, name, path);
}

/** Returns a metric of a file. @param name its name in the question */
function definitionIn(
  { content, file }: { content: string; file: string },
  metricName: string,
  name: string,
  path: string,
): Definition {
  const parsed = parseMetricFile(content);
  if ("problems" in parsed) throw invalidInput(path, `${file}: ${sentenceOf(parsed.problems[0])}`);
  for (const model of parsed.models) {
    const metric = model.metrics.find((each) => each.name === metricName);
    if (metric) return { name, model, metric, file };
  }
  throw invalidInput(path, `Unknown metric “${name}”.`);
}

/** Returns the connection of the datasets that a metric names first. */
function labelOf(model: Model, metric: Metric): string {
  const found: string[] = [];
  if (metric.expression) {
    walk(metric.expression, (part) => {
      const name = part.kind === "reference" ? part.dataset?.text.toLowerCase() : undefined;
      const dataset = name === undefined ? undefined : model.datasetsByName.get(name);
      if (dataset) found.push(dataset.source.connection);
      return undefined;
    });
  }
  return found[0] ?? model.datasets[0]?.source.connection ?? "";
}

/** Returns the error of a failed statement with the place in the file, if a column is gone. */
async function explained(
  caller: Caller,
  error: unknown,
  { connection, datasets, definitions }: Planned,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.kind !== "query_failed") return error;
  const entities = await listEntities(caller, connection._id, { refresh: true, signal }).catch(() => []);
  for (const dataset of datasets) {
    const { source } = dataset;
    const table = entities.find(
      (each) => same(each.name, source.table) && (each.schema == null || same(each.schema, source.schema)),
    );
    if (!table?.columns) continue;
    const known = new Set(table.columns.map(({ name }) => name.toLowerCase()));
    for (const { user, column, place, file } of usesOf(dataset, definitions)) {
      if (known.has(column.toLowerCase())) continue;
      const line = place.line === null ? "" : `, line ${place.line}`;
      const table = `${source.schema}.${source.table}`;
      const message = `The column “${column}” of ${table} does not exist. ${user} uses it (${file}${line}).`;
      return new AppError("query_failed", message, { cause: error, details: [{ ...place, message }] });
    }
  }
  return error;
}

type Use = { user: string; column: string; place: Place; file: string };

/** Returns the physical columns of a dataset that its fields and the queried metrics use. */
function usesOf(dataset: Dataset, definitions: readonly Definition[]): Use[] {
  const uses: Use[] = [];
  for (const { model, metric, file } of definitions) {
    if (!model.datasets.includes(dataset)) continue;
    for (const { name, expression, place } of dataset.fields) {
      for (const reference of expression ? referencesIn(expression) : []) {
        uses.push({ user: `${dataset.name}.${name}`, column: columnOf(reference.name), place, file });
      }
    }
    for (const reference of metric.expression ? referencesIn(metric.expression) : []) {
      const target = targetOf(model, reference, true);
      if (typeof target === "string" || !("column" in target) || target.dataset !== dataset) continue;
      uses.push({ user: metric.name, column: target.column, place: metric.place, file });
    }
  }
  return uses;
}

function referencesIn(tree: Expression): Extract<Expression, { kind: "reference" }>[] {
  const found: Extract<Expression, { kind: "reference" }>[] = [];
  walk(tree, (part) => {
    if (part.kind === "reference") found.push(part);
    return undefined;
  });
  return found;
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
