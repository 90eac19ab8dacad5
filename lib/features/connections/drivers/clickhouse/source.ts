import "server-only";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { toSqlPath } from "@/lib/base/sql/names";
import { changeVerbOf } from "@/lib/base/sql/statement-kind";
import { parseExactJson } from "@/lib/base/values/exact-json";
import type { Entity, Field, WireValue } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { startDeadline } from "@/lib/platform/net/deadline";
import { Pacer } from "@/lib/platform/process/pacer";
import type {
  DataSource,
  ExtractRequest,
  ExtractStream,
  Load,
  LoadRequest,
  QueryOptions,
  ResultStream,
  Statement,
} from "../../data-source";
import type { SchemaChoice } from "../../schema";
import type { NetworkConfig } from "../shared/config";
import { toScript } from "../shared/ddl";
import { redactDefinition } from "../shared/definition-secrets";
import { connectionLost, notItsProtocol, tooLargeRow } from "../shared/failures";
import { EXTRACT_TIMEOUT_MS } from "../shared/flows/sql-extract";
import { CANCEL_TIMEOUT_MS, CANCEL_WAIT_MS, ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { sqlText } from "../shared/params";
import { type PortionedRows, portionBatches, readPortions } from "../shared/portions";
import { toSchemaChoice } from "../shared/schema-choices";
import { type OnServer, type ServerSide, withinLimit } from "../shared/server";
import { checkStatementText } from "../shared/statements/check";
import { Uses } from "../shared/uses";
import { type ColumnReader, pausing, readRowSliced } from "../shared/value-readers";
import { isLargeText, parsePaced, protocolValue } from "../shared/wire-values";
import { columnsSql, FUNCTIONS_SQL, SCHEMAS_SQL, tablesSql, toEntities } from "./catalog";
import { toServerFailure } from "./failures";
import { type ClickHouseFlowParts, extractClickHouse, loadClickHouse } from "./flows";
import { LineTooLong, linesOf } from "./lines";
import { toClickHouseParams } from "./params";
import { ClickHouseClient, type ClickHouseRequest } from "./request";
import type { ServerFunction } from "./statement-guard";
import { exactReaderOf, readerOf } from "./types";

/** Numbers that a double may not hold. Reading those exactly is slower, so others skip it. */
const LONG_NUMBER = /\d{16}/;
/** Time limit of schema queries, which take milliseconds. */
const OUR_OWN_TIMEOUT_S = 10;
/** Cache lifetime of a server's function list, in ms; it rarely changes. */
const FUNCTIONS_KEPT_MS = 5 * 60_000;

/** A ClickHouse database through its HTTP interface. */
export class ClickHouseSource implements DataSource {
  readonly #line: ClickHouseClient;
  readonly #secrets: readonly string[];
  readonly #database: string;
  readonly #uses = new Uses(() => this.#line.close());
  #functions: { known: readonly ServerFunction[] | null; until: number } | null = null;

  readonly #readOnly: boolean;
  readonly #server: ServerSide;

  /** @param readOnly nothing is loaded into it; each query states what it may do */
  constructor(config: OnServer<NetworkConfig>, readOnly: boolean) {
    this.#readOnly = readOnly;
    this.#line = new ClickHouseClient(config);
    this.#secrets = [config.password];
    this.#database = config.database;
    this.#server = config.server;
  }

  async query({ query, params }: Statement, options: QueryOptions): Promise<ResultStream> {
    const text = sqlText(query);
    const values = toClickHouseParams(params);
    const request = { query: text, readOnly: options.readOnly, params: values, database: this.#database };
    await checkStatementText("clickhouse", request, this.#server.workspaceId);
    if (options.readOnly) {
      // Refuse everything possible without the server first.
      const functions = await this.#serverFunctions(options.signal);
      await checkStatementText("clickhouse", { ...request, functions }, this.#server.workspaceId);
    }
    const settings: [string, string][] = [
      ["max_execution_time", String(Math.ceil(withinLimit(this.#server, options.timeoutMs) / 1000))],
      // No writes, no DDL, and no settings within the statement.
      ...(options.readOnly ? [["readonly", "1"] as [string, string]] : []),
      ...values,
    ];
    const run = this.#begin(text, settings, { isRead: options.readOnly, signal: options.signal });
    try {
      const rows = await run.open(options.cellBytesMax, options.jsonAsText);
      return {
        fields: rows.fields,
        batches: portionBatches(run, rows, options.cellBytesMax, {
          isTooLarge: (error) => error instanceof LineTooLong,
          toFailure: (error) => this.#failure(error, options.signal),
        }),
        affectedRows: () => (changeVerbOf(text, "clickhouse") === "insert" ? run.writtenRows : null),
      };
    } catch (error) {
      await run.end();
      throw this.#failure(error, options.signal);
    }
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    return extractClickHouse(this.#flowParts, request);
  }

  load(request: LoadRequest): Promise<Load> {
    return loadClickHouse(this.#flowParts, request, this.#readOnly);
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    const { schemas } = this.#server;
    const shown = schemas ? toClickHouseParams({ shown: [...schemas] }) : [];
    const tables = await this.#ask(tablesSql(schemas !== null), signal, shown);
    return toEntities(tables, await this.#ask(columnsSql(schemas !== null), signal, shown));
  }

  async schemas(signal: AbortSignal): Promise<SchemaChoice[]> {
    return (await this.#ask(SCHEMAS_SQL, signal)).map(toSchemaChoice);
  }

  async defaultSchema(signal: AbortSignal): Promise<string | null> {
    const [row] = await this.#ask("SELECT currentDatabase()", signal);
    return typeof row?.[0] === "string" ? row[0] : null;
  }

  async ddl({ schema, name }: Entity, signal: AbortSignal): Promise<string> {
    const [row] = await this.#ask(`SHOW CREATE TABLE ${toSqlPath([schema, name], "clickhouse")}`, signal);
    const definition = row?.[0];
    return toScript([typeof definition === "string" ? redactDefinition(definition, "backslash") : null], name);
  }

  async test(signal: AbortSignal): Promise<{ serverVersion?: string }> {
    const [row] = await this.#ask("SELECT version()", signal);
    return { serverVersion: `ClickHouse ${row?.[0]}` };
  }

  close(): Promise<void> {
    return this.#uses.close();
  }

  get #flowParts(): ClickHouseFlowParts {
    return {
      query: (statement, options) => this.query(statement, options),
      run: (sql, settings, signal) => this.#run(sql, settings, signal),
      statementTimeoutMs: withinLimit(this.#server, EXTRACT_TIMEOUT_MS),
    };
  }

  /** Runs a driver statement and returns its whole result. An abort cancels it on the server. */
  async #run(query: string, settings: readonly (readonly [string, string])[], signal: AbortSignal) {
    const run = this.#begin(
      query,
      settings.map(([name, value]) => [name, value]),
      { isRead: false, signal },
    );
    return readPortions(
      run,
      () => run.open(undefined),
      (error) => this.#failure(error, signal),
    );
  }

  /** Returns the server's functions; null when it does not list them. */
  async #serverFunctions(signal: AbortSignal): Promise<readonly ServerFunction[] | null> {
    const now = performance.now();
    if (this.#functions && this.#functions.until > now) return this.#functions.known;
    let known: readonly ServerFunction[] | null;
    try {
      const rows = await this.#ask(FUNCTIONS_SQL, signal);
      known = rows.map(([name, kind]) => ({ name: String(name), kind: String(kind) }));
    } catch (error) {
      // An old server, or one where this user may not look: its functions are unknown.
      if (!(error instanceof AppError) || error.kind !== "query_failed") throw error;
      known = null;
    }
    this.#functions = { known, until: now + FUNCTIONS_KEPT_MS };
    return known;
  }

  /** Returns the whole result of a driver query. */
  async #ask(query: string, caller: AbortSignal, params: readonly [string, string][] = []): Promise<WireValue[][]> {
    // Only a deadline tells a silent host from a slow query.
    const deadline = startDeadline(OUR_OWN_TIMEOUT_S * 1000, caller);
    const { signal } = deadline;
    const run = this.#begin(query, [["max_execution_time", String(OUR_OWN_TIMEOUT_S)], ...params], {
      isRead: true,
      signal,
    });
    return readPortions(
      run,
      () => run.open(undefined),
      (error) => (signal.aborted ? deadline.reason() : this.#failure(error, signal)),
    );
  }

  #begin(query: string, settings: readonly [string, string][], { isRead, signal }: RunOptions): Run {
    signal.throwIfAborted();
    const leave = this.#uses.begin();
    return new Run(this.#line, { query, settings, isRead, signal, secrets: this.#secrets }, leave);
  }

  #failure(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof AppError) return error;
    return error instanceof LineTooLong ? tooLargeRow(ROW_BYTES_MAX) : connectionLost(error);
  }
}

function writtenRowsOf(summary: string | string[] | undefined): number | null {
  if (typeof summary !== "string") return null;
  try {
    const { written_rows: count } = JSON.parse(summary) as { written_rows?: unknown };
    return count === undefined || !Number.isFinite(Number(count)) ? null : Number(count);
  } catch {
    return null;
  }
}

type RunOptions = Pick<ClickHouseRequest, "isRead" | "signal">;
type RunRequest = RunOptions & { query: string; settings: readonly [string, string][]; secrets: readonly string[] };

/** One statement on the server. Leaving it in any way cancels it there. */
class Run {
  readonly #line: ClickHouseClient;
  readonly #query: string;
  readonly #settings: readonly [string, string][];
  readonly #isRead: boolean;
  readonly #secrets: readonly string[];
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  readonly #queryId = randomUUID();
  readonly #stop = new AbortController();
  #response: IncomingMessage | null = null;
  /** Returns the rows that an INSERT wrote, by the server's summary; null when it is absent. */
  get writtenRows(): number | null {
    return writtenRowsOf(this.#response?.headers["x-clickhouse-summary"]);
  }

  #isDone = false;
  #isOver = false;
  readonly #onAbort = () => void this.#abort();

  constructor(line: ClickHouseClient, request: RunRequest, leave: () => void) {
    const { query, settings, isRead, signal, secrets } = request;
    this.#line = line;
    this.#query = query;
    this.#settings = settings;
    this.#isRead = isRead;
    this.#secrets = secrets;
    this.#signal = signal;
    this.#leave = leave;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async open(cellBytesMax: number | undefined, jsonAsText = false): Promise<PortionedRows> {
    const response = await this.#line.send({
      query: this.#query,
      settings: [["query_id", this.#queryId], ...this.#settings],
      isRead: this.#isRead,
      signal: this.#stop.signal,
    });
    this.#response = response;
    const lines = linesOf(response, cellBytesMax === undefined ? ROW_BYTES_MAX : cellBytesMax * ROW_CELLS_MAX);
    let waiting: string[] = [];
    const take = async (): Promise<string[] | null> => {
      const step = await lines.next();
      if (step.done) this.#isDone = true;
      return step.done ? null : step.value;
    };
    // Names and types come first; a statement without a result returns nothing.
    while (waiting.length < 2) {
      const more = await take();
      if (more === null) break;
      waiting.push(...more);
    }
    const [names, types, ...first] = waiting;
    waiting = first;
    if (names === undefined) return { fields: [], size: 0, next: async () => null };
    const pacer = new Pacer();
    const pause = pausing(() => pacer.restIfLate());
    const headNames = this.#list(names).map(String);
    const headTypes = this.#list(types ?? "").map(String);
    const readers = headTypes.map((type) => (jsonAsText ? exactReaderOf(type) : readerOf(type)));
    const rows: PortionedRows = {
      fields: headNames.map((name, index) => toField(name, headTypes[index] ?? "", readers[index])),
      size: 0,
      next: async () => {
        const portion = waiting.length > 0 ? waiting : await take();
        waiting = [];
        if (portion === null) return null;
        rows.size = portion.reduce((sum, line) => sum + line.length, 0);
        const read: WireValue[][] = [];
        for (const line of portion) {
          if (line === "") continue;
          read.push(
            isLargeText(line)
              ? await readRowSliced(await this.#largeList(line, pacer, jsonAsText), readers, pause)
              : this.#list(line, jsonAsText).map((value, index) => readers[index]?.read(value) ?? null),
          );
          if (pacer.isDue()) await pacer.rest();
        }
        return read;
      },
    };
    return rows;
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    if (!this.#isDone && this.#response) {
      this.#response.destroy();
      void this.#kill();
    }
    this.#leave();
  }

  async #abort(): Promise<void> {
    await Promise.race([this.#kill(), sleep(CANCEL_WAIT_MS)]);
    this.#stop.abort(this.#signal.reason);
    this.#response?.destroy();
  }

  /** Sends KILL QUERY by a second request: closing the response alone stops only the current write. */
  async #kill(): Promise<void> {
    const request = {
      query: "KILL QUERY WHERE query_id = {id:String} ASYNC",
      settings: [["param_id", this.#queryId]] as const,
      isRead: true,
      signal: AbortSignal.timeout(CANCEL_TIMEOUT_MS),
    };
    try {
      const response = await this.#line.send(request);
      response.resume();
    } catch {
      // The server is gone, or its time limit ends the query.
    }
  }

  #list(line: string, isExact = false): unknown[] {
    let values: unknown;
    try {
      values = parserOf(line, isExact)(line);
    } catch {
      // A line that is not JSON is an error message.
    }
    return this.#checked(values, line);
  }

  async #largeList(line: string, pacer: Pacer, isExact: boolean): Promise<unknown[]> {
    return this.#checked(
      await parsePaced(line, () => pacer.restIfLate(), parserOf(line, isExact)).catch(() => null),
      line,
    );
  }

  #checked(values: unknown, line: string): unknown[] {
    if (Array.isArray(values)) return values;
    // An error within a response replaces the next row.
    if (/Code: \d+/.test(line)) throw toServerFailure(line, this.#query, this.#secrets);
    throw notItsProtocol("ClickHouse");
  }
}

function parserOf(line: string, isExact: boolean): (text: string) => unknown {
  if (isExact) return parseExactJson;
  return LONG_NUMBER.test(line) ? protocolValue : JSON.parse;
}

function toField(name: string, dbType: string, reader: ColumnReader | undefined): Field {
  return { name, type: reader?.type ?? "other", dbType };
}
