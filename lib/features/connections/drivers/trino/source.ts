import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { toSqlPath } from "@/lib/base/sql/names";
import type { Entity, WireValue } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { startDeadline } from "@/lib/platform/net/deadline";
import { Pacer } from "@/lib/platform/process/pacer";
import type {
  DataSource,
  ExtractRequest,
  ExtractStream,
  QueryOptions,
  ResultStream,
  Statement,
} from "../../data-source";
import type { SchemaChoice } from "../../schema";
import { toScript } from "../shared/ddl";
import { redactDefinition } from "../shared/definition-secrets";
import { connectionLost, tooLargeRow } from "../shared/failures";
import { CANCEL_TIMEOUT_MS, CANCEL_WAIT_MS, ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { sqlText } from "../shared/params";
import { type PortionedRows, portionBatches, readPortions } from "../shared/portions";
import { toSchemaChoice } from "../shared/schema-choices";
import { type OnServer, withinLimit } from "../shared/server";
import { checkStatementText } from "../shared/statements/check";
import { Uses } from "../shared/uses";
import { type ColumnReader, pausing, readRowSliced } from "../shared/value-readers";
import { CHARS_AT_ONCE } from "../shared/wire-values";
import { columnsSql, schemaChoicesSql, schemasSql, tablesSql, toEntities } from "./catalog";
import type { TrinoConfig } from "./config";
import { toServerFailure } from "./failures";
import { extractTrino } from "./flows";
import { quoted, toTrinoParams } from "./params";
import { AskAgain, PageTooLarge, TrinoClient, type TrinoPage, type TrinoRequest } from "./request";
import { readerOf } from "./types";

/** Time limit of the test query, in ms, which takes milliseconds. */
const TEST_TIMEOUT_MS = 10_000;
/** Time limit of schema queries, in ms: a catalog asks the system behind it for its tables, which may be a lake. */
const SCHEMA_TIMEOUT_MS = 30_000;
/** Delay before a busy server is asked again, in ms; the protocol sets no limit on retries. */
const ASK_AGAIN_MS = 100;
const ASK_AGAIN_TIMES = 30;
/**
 * Maximum characters of a header: a server's headers have 8 KiB in total by default, so longer statements go in the
 * body.
 */
const HEADER_CHARS_MAX = 4000;
/** Maximum column of an error that an older server reports within EXECUTE IMMEDIATE '...'. */
const IMMEDIATE_COLUMN_MAX = "EXECUTE IMMEDIATE ".length + 1;
/** The error of a row above the cluster's limit of about 16 MiB. */
const ROW_TOO_LARGE = "PAGE_TOO_LARGE";
const PREPARED_NAME = "statement";

/** A Trino cluster through its REST protocol. Each statement is a separate query on the server, without a session. */
export class TrinoSource implements DataSource {
  readonly #line: TrinoClient;
  readonly #config: OnServer<TrinoConfig>;
  readonly #uses = new Uses(() => this.#line.close());

  constructor(config: OnServer<TrinoConfig>) {
    this.#config = config;
    this.#line = new TrinoClient(config);
  }

  async query({ query, params }: Statement, options: QueryOptions): Promise<ResultStream> {
    const request = { query: sqlText(query), readOnly: options.readOnly };
    const { text } = await checkStatementText("trino", request, this.#config.server.workspaceId);
    const { body, headers } = withParams(text, toTrinoParams(params));
    const cellBytes = options.cellBytesMax;
    const run = this.#begin(text, options.signal, cellBytes === undefined ? ROW_BYTES_MAX : cellBytes * ROW_CELLS_MAX);
    try {
      if (options.readOnly) await run.startTransaction();
      await run.start(body, {
        ...headers,
        "X-Trino-Session": `query_max_run_time=${Math.ceil(withinLimit(this.#config.server, options.timeoutMs) / 1000)}s`,
      });
      const rows = await run.open(options.jsonAsText);
      const batches = portionBatches(run, rows, cellBytes, {
        isTooLarge: (error) => error instanceof PageTooLarge,
        toFailure: (error) => toFailure(error, options.signal),
      });
      return { fields: rows.fields, batches, affectedRows: () => run.affectedRows };
    } catch (error) {
      await run.end();
      throw toFailure(error, options.signal);
    }
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    const { catalog, schema } = this.#config;
    return extractTrino({ query: (statement, options) => this.query(statement, options), catalog, schema }, request);
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    const { catalog, schema, server } = this.#config;
    const tables = await this.#ask(tablesSql(catalog, server.schemas), signal, SCHEMA_TIMEOUT_MS);
    const columns = await this.#ask(columnsSql(catalog, server.schemas), signal, SCHEMA_TIMEOUT_MS);
    return toEntities(tables, columns, schema);
  }

  async schemas(signal: AbortSignal): Promise<SchemaChoice[]> {
    const { catalog } = this.#config;
    return (await this.#ask(schemaChoicesSql(catalog), signal, SCHEMA_TIMEOUT_MS)).map(toSchemaChoice);
  }

  async defaultSchema(): Promise<string | null> {
    return this.#config.schema.toLowerCase();
  }

  async ddl({ schema = this.#config.schema, name, kind }: Entity, signal: AbortSignal): Promise<string> {
    const path = toSqlPath([this.#config.catalog, schema, name], "trino");
    const [row] = await this.#ask(
      `SHOW CREATE ${kind === "view" ? "VIEW" : "TABLE"} ${path}`,
      signal,
      SCHEMA_TIMEOUT_MS,
    );
    const definition = row?.[0];
    return toScript([typeof definition === "string" ? redactDefinition(definition, "plain") : null], name);
  }

  async test(signal: AbortSignal): Promise<{ serverVersion?: string }> {
    const [row] = await this.#ask("SELECT version()", signal, TEST_TIMEOUT_MS);
    // The server reports a missing catalog only when something of it is read.
    const { catalog, schema } = this.#config;
    const schemas = await this.#ask(schemasSql(catalog), signal, TEST_TIMEOUT_MS);
    if (schema !== "" && !schemas.some(([name]) => name === schema.toLowerCase())) {
      throw new AppError(
        "source_unreachable",
        `Schema ${schema} not found in catalog ${catalog}, or access is denied.`,
      );
    }
    return { serverVersion: `Trino ${row?.[0]}` };
  }

  close(): Promise<void> {
    return this.#uses.close();
  }

  /** Returns the whole result of a driver query. */
  async #ask(query: string, caller: AbortSignal, timeoutMs: number): Promise<WireValue[][]> {
    // Only a deadline tells a silent host from a slow query.
    const deadline = startDeadline(timeoutMs, caller);
    const { signal } = deadline;
    const run = this.#begin(query, signal, ROW_BYTES_MAX);
    return readPortions(
      run,
      () => run.start(query, {}).then(() => run.open()),
      (error) => (signal.aborted ? deadline.reason() : toFailure(error, signal)),
    );
  }

  #begin(query: string, signal: AbortSignal, bytesMax: number): Run {
    signal.throwIfAborted();
    const leave = this.#uses.begin();
    return new Run(this.#line, { query, signal, bytesMax, secrets: [this.#config.password] }, leave);
  }
}

type RunFacts = { query: string; signal: AbortSignal; bytesMax: number; secrets: readonly string[] };

/** One statement on the server. Leaving it in any way cancels it there. */
class Run {
  readonly #line: TrinoClient;
  readonly #facts: RunFacts;
  readonly #leave: () => void;
  readonly #stop = new AbortController();
  /** The path to continue the running statement, or to cancel it with DELETE; null when none runs. */
  #next: string | null = null;
  #first: TrinoPage | null = null;
  /** Rows that the statement changed, by the server's last response. */
  affectedRows: number | null = null;
  #transaction: string | null = null;
  #isImmediate = false;
  #isOver = false;
  #cancelled: Promise<void> | null = null;
  readonly #onAbort = () => void this.#abort();

  constructor(line: TrinoClient, facts: RunFacts, leave: () => void) {
    this.#line = line;
    this.#facts = facts;
    this.#leave = leave;
    facts.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Starts a transaction that the server keeps read-only. */
  async startTransaction(): Promise<void> {
    let page: TrinoPage | null = await this.#send("START TRANSACTION READ ONLY", { "X-Trino-Transaction-Id": "NONE" });
    while (page) {
      this.#transaction = page.transactionId ?? this.#transaction;
      page = await this.#follow();
    }
    if (this.#transaction === null) {
      throw new AppError("not_allowed", "This server does not support read-only transactions. Queries are blocked.");
    }
  }

  async start(body: string, headers: Readonly<Record<string, string>>): Promise<void> {
    this.#isImmediate = body.startsWith("EXECUTE IMMEDIATE ");
    const transaction = this.#transaction;
    this.#first = await this.#send(body, {
      ...headers,
      ...(transaction !== null && { "X-Trino-Transaction-Id": transaction }),
    });
  }

  async open(jsonAsText = false): Promise<PortionedRows> {
    let page = this.#first;
    this.#first = null;
    while (page && !page.columns) page = await this.#follow();
    const columns = page?.columns ?? [];
    const readers = columns.map(({ typeSignature }) => readerOf(typeSignature, jsonAsText));
    let isTaken = false;
    const pacer = new Pacer();
    const pause = pausing(() => pacer.restIfLate());
    const rows: PortionedRows = {
      size: 0,
      fields: columns.map(({ name, type }, index) => ({ name, type: readers[index]?.type ?? "other", dbType: type })),
      next: async () => {
        // Requested only when the reader continues: that is the backpressure on the server.
        if (isTaken) page = await this.#follow();
        isTaken = true;
        if (page === null) return null;
        rows.size = page.chars;
        const all: WireValue[][] = [];
        const isLarge = page.chars > CHARS_AT_ONCE;
        for (const row of page.data ?? []) {
          all.push(isLarge ? await readRowSliced(row, readers, pause) : readRow(row, readers));
          if (pacer.isDue()) await pacer.rest();
        }
        return all;
      },
    };
    return rows;
  }

  /** Releases the server; pending requests to it continue in the background. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#facts.signal.removeEventListener("abort", this.#onAbort);
    void this.#cleanUp().finally(this.#leave);
  }

  async #cleanUp(): Promise<void> {
    await this.#cancel();
    const transaction = this.#transaction;
    if (transaction === null) return;
    const headers = { "X-Trino-Transaction-Id": transaction };
    await this.#sendIgnoringErrors({ method: "POST", body: "ROLLBACK", headers });
  }

  async #abort(): Promise<void> {
    await Promise.race([this.#cancel(), sleep(CANCEL_WAIT_MS)]);
    this.#stop.abort(this.#facts.signal.reason);
  }

  #cancel(): Promise<void> {
    const path = this.#next;
    this.#cancelled ??= path === null ? null : this.#sendIgnoringErrors({ method: "DELETE", path });
    return this.#cancelled ?? Promise.resolve();
  }

  /** Follows the responses to the end. An unreachable server has already dropped the statement, or its limits will. */
  async #sendIgnoringErrors(request: Pick<TrinoRequest, "method" | "path" | "body" | "headers">): Promise<void> {
    const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    try {
      let page = await this.#line.send({ ...request, signal, bytesMax: ROW_BYTES_MAX });
      for (let path = ""; page.next !== null && page.next !== path; ) {
        path = page.next;
        page = await this.#line.send({ method: "GET", path, signal, bytesMax: ROW_BYTES_MAX });
      }
    } catch {
      // The errors are ignored, as described above.
    }
  }

  #send(body: string, headers: Readonly<Record<string, string>>): Promise<TrinoPage> {
    return this.#take({ method: "POST", body, headers });
  }

  /** Returns the next response about the running statement; null when it is done. */
  async #follow(): Promise<TrinoPage | null> {
    return this.#next === null ? null : this.#take({ method: "GET", path: this.#next });
  }

  async #take(request: Pick<TrinoRequest, "method" | "path" | "body" | "headers">): Promise<TrinoPage> {
    const { bytesMax, query, secrets } = this.#facts;
    const signal = this.#stop.signal;
    for (let turn = 0; ; turn += 1) {
      // During the cancellation, responses still arrive: none of them is followed.
      this.#facts.signal.throwIfAborted();
      try {
        const page = await this.#line.send({ ...request, signal, bytesMax });
        if (page.next !== null && page.next === request.path) throw leadsToItself();
        this.#next = page.next;
        this.affectedRows = affectedRowsOf(page) ?? this.affectedRows;
        if (page.error) {
          this.#next = null;
          if (page.error.errorName === ROW_TOO_LARGE) {
            throw new PageTooLarge("", { cause: toServerFailure(page.error, query, secrets) });
          }
          throw this.#isTooLong(page.error.errorName, page.error.errorLocation)
            ? tooLongForParams()
            : toServerFailure(page.error, query, secrets);
        }
        return page;
      } catch (error) {
        if (!(error instanceof AskAgain)) throw error;
        if (turn >= ASK_AGAIN_TIMES) throw connectionLost(error);
        await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }

  #isTooLong(name: string | undefined, place: { lineNumber: number; columnNumber: number } | undefined): boolean {
    return (
      this.#isImmediate &&
      name === "SYNTAX_ERROR" &&
      place?.lineNumber === 1 &&
      place.columnNumber <= IMMEDIATE_COLUMN_MAX
    );
  }
}

/** Statements that change rows. The server counts the rows of CREATE TABLE AS as well, which changes none. */
const CHANGE_TYPES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

function affectedRowsOf({ updateType, updateCount }: TrinoPage): number | null {
  if (updateType === undefined || !CHANGE_TYPES.has(updateType)) return null;
  return typeof updateCount === "number" ? updateCount : null;
}

function tooLongForParams(): AppError {
  return new AppError(
    "invalid_request",
    "Long statements with parameters need Trino 418 or later. Inline the values instead.",
  );
}

function readRow(row: readonly unknown[], readers: readonly ColumnReader[]): WireValue[] {
  return row.map((value, index) => (value === null ? null : (readers[index]?.read(value) ?? null)));
}

function toFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof PageTooLarge) return error.cause ?? tooLargeRow(ROW_BYTES_MAX);
  return error instanceof AppError ? error : connectionLost(error);
}

/** Returns the request of a statement. With values, it is prepared by a header, or in the body where it is too long. */
function withParams(text: string, values: readonly string[]): { body: string; headers: Record<string, string> } {
  if (values.length === 0) return { body: text, headers: {} };
  const using = `USING ${values.join(", ")}`;
  const prepared = `${PREPARED_NAME}=${encodeURIComponent(text)}`;
  if (prepared.length > HEADER_CHARS_MAX) return { body: `EXECUTE IMMEDIATE ${quoted(text)} ${using}`, headers: {} };
  return { body: `EXECUTE ${PREPARED_NAME} ${using}`, headers: { "X-Trino-Prepared-Statement": prepared } };
}

/**
 * Creates the error for a repeated URL: the protocol names another one with each page, so a repetition would never end.
 */
function leadsToItself(): AppError {
  return new AppError("source_unreachable", "Trino returned the same next page twice.");
}
