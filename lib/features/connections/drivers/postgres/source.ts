import "server-only";
import { randomUUID } from "node:crypto";
import { DatabaseError, type FieldDef } from "pg";
import { firstWordOf } from "@/lib/base/sql/statement-kind";
import type { Entity, Field } from "@/lib/base/values/fields";
import { SETTING_FUNCTION, STATEMENT_FUNCTIONS } from "@/lib/platform/embedded/grammar/functions";
import type { Use } from "@/lib/platform/embedded/grammar/verdict";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import type {
  DataSource,
  ExtractRequest,
  ExtractStream,
  Load,
  LoadRequest,
  ManualSession,
  QueryOptions,
  ResultStream,
  SessionOptions,
  SourceFacts,
  Statement,
} from "../../data-source";
import type { NetworkConfig } from "../shared/config";
import { ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { sqlText } from "../shared/params";
import { PooledSource } from "../shared/pooled-source";
import { type OnServer, withinLimit } from "../shared/server";
import { StatementRun } from "../shared/statement-run";
import { positionOf } from "../shared/text-position";
import { DEFAULT_SCHEMA_SQL, ENTITIES_SQL, SCHEMAS_SQL, toEntities } from "./catalog";
import { formOf } from "./cell-forms";
import { DDL_SQL, toDdl } from "./ddl";
import { type Decode, decoderOf } from "./decode";
import { toQueryFailure } from "./failures";
import { extractPostgres, loadPostgres, type PostgresFlowParts, STATEMENT_TIMEOUT_MS } from "./flows";
import { judgeStatement } from "./grammar";
import { type Place, PostgresManualSession, readingStepOf } from "./manual-session";
import { toPostgresParams } from "./params";
import type { Portal, SideStatement } from "./portal";
import { portalBatches } from "./portal-batches";
import {
  plainVerdictOf,
  QUICK_VERDICT_SQL,
  type Refusal,
  refusalOf,
  toGiven,
  toRefusal,
  VERDICT_SQL,
  VIEW_SQL,
  VIEWS_VERDICT_SQL,
} from "./read-only-check";
import { isWithoutReadingRole, RIGHTS_SQL, WITHOUT_READING_ROLE, warningOf, withoutCatalog } from "./rights";
import { CLEAN_UP, LIGHT_CLEAN_UP, PostgresSession } from "./session";
import { BEGIN_READING, limited, pinned } from "./session-settings";
import { shapeOf } from "./statement-shape";
import { TypeNames } from "./type-names";
import { nameWithModifier } from "./types";

/** Maximum number of functions in a database that run text; real databases have far fewer. */
const STATEMENT_FUNCTIONS_MAX = 100;
/** Maximum number of views in one statement that run text. */
const VIEWS_MAX = 20;
/** Maximum number of remembered statements, the same as in the grammar's cache. */
const UNCLEAR_MAX = 500;

/** Statements that read or change rows, by their first word: all of them can run in a transaction. */
const ROW_STATEMENTS = new Set(["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE"]);

/** The checks of the catalogue, the cheapest first. */
type Closeness = "plain" | "quick" | "views" | "close";
/** The check after one that was inconclusive. */
const CLOSER: Readonly<Record<string, Closeness>> = { plain: "quick", quick: "views", views: "close" };
/** `statementFunctions` are those beyond the built-in ones that run text, `views` those that "close" had to check. */
type Look = { closeness: Closeness; statementFunctions: readonly string[]; views: readonly JudgedView[] };
/** A view whose definition calls functions that run text; `uses` are the names in the definition and in those texts. */
type JudgedView = { id: number; hash: string; uses: readonly Use[] };
const FIRST_LOOK: Pick<Look, "closeness" | "views"> = { closeness: "plain", views: [] };

/** Names of prepared statements that no statement of a person can know or replace. */
const PREPARED = `millrace_${randomUUID()}`;
/** Statements that start a read-only transaction, which the server keeps prepared where it can. */
const PIN_OWN = { text: pinned(null, "own"), name: `${PREPARED}_own` };
const PIN_CATALOG = { text: pinned(null, "catalog"), name: `${PREPARED}_catalog` };
const QUICK_VERDICT = { text: QUICK_VERDICT_SQL, name: `${PREPARED}_quick` };
const VIEWS_VERDICT = { text: VIEWS_VERDICT_SQL, name: `${PREPARED}_views` };
/** Codes of a pooler that passes as the server: the prepared statement is not in this process, or already is. */
const NOT_PREPARED = ["26000", "42P05"];

/** A PostgreSQL database. */
export class PostgresSource extends PooledSource<PostgresSession> implements DataSource {
  readonly #types: TypeNames;
  /** Functions of this database that run text, such as a user-defined crosstab. */
  readonly #statementFunctions = new Set<string>();
  /** The check to use for texts about which the quick check was inconclusive. The server still decides each time. */
  readonly #unclear = new Map<string, Pick<Look, "closeness" | "views">>();

  readonly loadsBytes = true;
  readonly #readOnly: boolean;
  /** With a pooler, session settings would stay on a server connection that others get next. */
  readonly #isPooled: boolean;
  /** Whether the server keeps prepared statements of a session. */
  #prepares: boolean;

  /** @param readOnly nothing is loaded into it; each query states what it may do */
  constructor(config: OnServer<NetworkConfig>, readOnly: boolean) {
    super(config, {
      open: (signal) => PostgresSession.open(config, signal),
      read: (session, sql) => session.read(sql),
      toFailure: (error, text, secrets) =>
        error instanceof ReadingRefused || error instanceof NotPrepared ? error : toQueryFailure(error, text, secrets),
      schemasSql: SCHEMAS_SQL,
      defaultSchemaSql: DEFAULT_SCHEMA_SQL,
    });
    this.#readOnly = readOnly;
    this.#types = new TypeNames((signal) => PostgresSession.open(config, signal));
    this.#isPooled = config.options.pgbouncer === "true";
    this.#prepares = !this.#isPooled;
  }

  query(statement: Statement, options: QueryOptions): Promise<ResultStream> {
    return this.#queryAt(statement, options, this.#pooledPlace);
  }

  async openSession({ signal, ...options }: SessionOptions): Promise<ManualSession> {
    if (this.#isPooled) {
      const message = "Manual transactions need a direct connection. This one goes through PgBouncer.";
      throw new AppError("unsupported", message);
    }
    const session = await this.openOwn(signal);
    try {
      return await PostgresManualSession.open(session, options, (...args) => this.#queryAt(...args));
    } catch (error) {
      session.destroy();
      throw toQueryFailure(error, "", this.secrets);
    }
  }

  async #queryAt(statement: Statement, options: QueryOptions, place: Place): Promise<ResultStream> {
    const key = typeof statement.query === "string" ? shapeOf(statement.query) : "";
    for (;;) {
      const { closeness, views } = this.#unclear.get(key) ?? FIRST_LOOK;
      const statementFunctions = [...this.#statementFunctions];
      const prepares = this.#prepares;
      try {
        return await this.#query(statement, options, { closeness, statementFunctions, views }, place);
      } catch (error) {
        if (error instanceof NotPrepared && prepares) {
          this.#prepares = false;
          continue;
        }
        if (!(error instanceof ReadingRefused)) throw error;
        const { reason, name, view } = error.refusal;
        const closer = reason === "unclear" ? CLOSER[name] : undefined;
        if (closer !== undefined) this.#remember(key, { closeness: closer, views: [] });
        // A user-defined function that runs its text arguments: now that it is known, the guard checks those texts.
        else if (reason === "statement" && this.#isNewStatementFunction(name)) this.#addStatementFunction(name);
        else if (reason === "within" && view !== undefined && views.length < VIEWS_MAX) {
          const judged = await this.#judgeView(view, statementFunctions, options.signal);
          // It was checked already, and its definition still differs.
          if (views.some(({ id, hash }) => id === judged.id && hash === judged.hash)) throw toRefusal(error.refusal);
          this.#remember(key, { closeness: "close", views: [...views.filter(({ id }) => id !== view), judged] });
        } else throw toRefusal(error.refusal);
      }
    }
  }

  async #query(
    { query, params }: Statement,
    options: QueryOptions,
    look: Look,
    { isManual, take, around }: Place,
  ): Promise<ResultStream> {
    const text = sqlText(query);
    const values = toPostgresParams(params);
    const { readOnly, signal, cellBytesMax } = options;
    const timeoutMs = withinLimit(this.server, options.timeoutMs);
    const { workspaceId } = this.server;
    const isStep = isManual && readOnly && readingStepOf(text) !== null;
    const uses = isStep ? [] : await check(text, readOnly, look.statementFunctions, workspaceId, isManual);
    const run = await take(signal);
    let portal: Portal | null = null;
    try {
      const verdict = readOnly ? verdictOf(uses, look) : null;
      const sent = await around(run.session, { text, readOnly, timeoutMs, verdict });
      const rowBytesMax = cellBytesMax === undefined ? ROW_BYTES_MAX : cellBytesMax * ROW_CELLS_MAX;
      const jsonAsText = options.jsonAsText === true;
      const decodersOf = (fields: readonly FieldDef[]) => this.#decodersOf(fields, jsonAsText);
      const { serverVersion } = run.session;
      const formsOf = (fields: readonly FieldDef[]) =>
        fields.map((field) => formOf(field.dataTypeID, (oid) => this.#types.get(oid), serverVersion));
      const isRaw = options.asBytes === true && cellBytesMax === undefined;
      portal = run.begin(
        run.session.start(
          {
            ...{ ...sent, values, cellBytesMax, readsToEnd: options.isChange, decodersOf },
            ...(isRaw && { formsOf }),
          },
          rowBytesMax,
        ),
      );
      const running = portal;
      const described = await running.fields;
      await this.#types.learn(
        described.map((field) => field.dataTypeID),
        signal,
      );
      running.readWith(described.map((field) => this.#decoderOf(field, jsonAsText)));
      return {
        fields: described.map((field) => this.#toField(field)),
        batches: portalBatches(run, running, options, (error) => this.ended(run, error, text, signal)),
        affectedRows: () => running.affectedRows,
      };
    } catch (error) {
      const refusal = readOnly && portal?.isInPreamble ? toReadingFailure(error, this.secrets) : null;
      throw this.ended(run, refusal ?? error, text, signal);
    }
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    return extractPostgres(this.#flowParts, request);
  }

  load(request: LoadRequest): Promise<Load> {
    return loadPostgres(this.#flowParts, request, this.#readOnly);
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    return this.ask(signal, async (session) => toEntities(await session.read(ENTITIES_SQL, [this.server.schemas])));
  }

  async ddl({ schema, name }: Entity, signal: AbortSignal): Promise<string> {
    const [row] = await this.ask(signal, (session) => session.read(DDL_SQL, [schema ?? null, name]));
    return toDdl(row?.[0], name);
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    return this.ask(signal, async (session) => {
      // PostgreSQL-compatible servers lack this catalogue, which is no reason to refuse the connection.
      const rights = await session.run(RIGHTS_SQL).catch((error: unknown) => {
        if (error instanceof DatabaseError && withoutCatalog(error) !== null) return null;
        throw error;
      });
      const warning = warningOf(rights && (rights[0] ?? null));
      return {
        ...(session.serverVersion !== null && { serverVersion: `PostgreSQL ${session.serverVersion}` }),
        ...(warning !== null && { warning }),
      };
    });
  }

  get #pooledPlace(): Place {
    return {
      isManual: false,
      take: async (signal) => new StatementRun(await this.pool.acquire(signal), this.pool, signal),
      around: async (session, { text, readOnly, timeoutMs, verdict }) => {
        if (readOnly) {
          const pin = { ...(verdict ? PIN_CATALOG : PIN_OWN), values: [String(Math.ceil(timeoutMs))] };
          const statements: SideStatement[] = [{ text: BEGIN_READING }, pin, ...(verdict ? [verdict] : [])];
          if (!this.#prepares)
            return { preamble: statements.map(({ name: _, ...each }) => each), text, epilogue: CLEAN_UP };
          const isLight = verdict === null || verdict.name !== undefined;
          return { preamble: statements, text, epilogue: isLight ? LIGHT_CLEAN_UP : CLEAN_UP };
        }
        // One round trip is one transaction, on one server connection of a pooler. CREATE DATABASE, VACUUM and a CALL
        // that commits must be alone in theirs.
        const isAlone = !ROW_STATEMENTS.has(firstWordOf(text, "postgres"));
        if (isAlone && !this.#isPooled) await session.run(limited(timeoutMs, false));
        return { preamble: isAlone ? [] : [{ text: limited(timeoutMs, true) }], text, epilogue: [] };
      },
    };
  }

  get #flowParts(): PostgresFlowParts {
    return {
      pool: this.pool,
      types: this.#types,
      secrets: this.secrets,
      ask: (signal, work) => this.ask(signal, work),
      statementTimeoutMs: withinLimit(this.server, STATEMENT_TIMEOUT_MS),
      query: (statement, options) => this.query(statement, options),
    };
  }

  #isNewStatementFunction(name: string): boolean {
    return !this.#statementFunctions.has(name) && this.#statementFunctions.size < STATEMENT_FUNCTIONS_MAX;
  }

  #addStatementFunction(name: string): void {
    this.#statementFunctions.add(name);
    // Views were checked without knowing the function.
    this.#unclear.clear();
  }

  /** Checks a view. @throws AppError when the texts that it runs are not allowed */
  async #judgeView(id: number, statementFunctions: readonly string[], signal: AbortSignal): Promise<JudgedView> {
    const [row] = await this.ask(signal, (session) => session.read(VIEW_SQL, [id]));
    const [definition, hash] = row ?? [];
    // It was dropped in between: the next check does not find it.
    if (typeof definition !== "string" || typeof hash !== "string") return { id, hash: "", uses: [] };
    return { id, hash, uses: await check(definition, true, statementFunctions, this.server.workspaceId) };
  }

  #remember(text: string, look: Pick<Look, "closeness" | "views">): void {
    this.#unclear.set(text, look);
    const oldest = this.#unclear.keys().next().value;
    if (this.#unclear.size > UNCLEAR_MAX && oldest !== undefined) this.#unclear.delete(oldest);
  }

  /** Returns the decoders; null when a type must be looked up first. */
  #decodersOf(fields: readonly FieldDef[], jsonAsText: boolean): Decode[] | null {
    const isKnown = fields.every((field) => this.#types.get(field.dataTypeID) !== undefined);
    return isKnown ? fields.map((field) => this.#decoderOf(field, jsonAsText)) : null;
  }

  #decoderOf({ dataTypeID }: FieldDef, jsonAsText: boolean): Decode {
    return decoderOf(dataTypeID, (oid) => this.#types.get(oid), jsonAsText);
  }

  #toField({ name, dataTypeID, dataTypeModifier }: FieldDef): Field {
    const known = this.#types.get(dataTypeID);
    return {
      name,
      type: known?.type ?? "other",
      dbType: nameWithModifier(dataTypeID, known?.name ?? String(dataTypeID), dataTypeModifier),
    };
  }
}

/**
 * Checks a statement with the grammar.
 * @returns the names to check in the database
 * @throws AppError when the grammar, or our rules about its tree, refuse the statement
 */
async function check(
  text: string,
  readOnly: boolean,
  statementFunctions: readonly string[],
  tenant: string,
  isManual = false,
): Promise<readonly Use[]> {
  const verdict = await judgeStatement(text, readOnly, statementFunctions, tenant, isManual && !readOnly);
  if (verdict.status === "ok") return verdict.uses;
  const place = verdict.offset === undefined ? undefined : positionOf(text, verdict.offset);
  if (verdict.status === "refused") throw new AppError(verdict.kind, verdict.message, { details: place });
  // Where writing is allowed, the server itself decides: it may be newer than the grammar.
  if (readOnly) throw new AppError("query_failed", verdict.message, { details: { sqlState: "42601", ...place } });
  return [];
}

/**
 * Returns the check of the catalogue for the names of a statement; null if it has none. A check with a name ensures that
 * the statement runs nothing but PostgreSQL's own reading functions.
 */
function verdictOf(uses: readonly Use[], { closeness, statementFunctions, views }: Look): SideStatement | null {
  if (uses.length === 0) return null;
  const given = toGiven([uses, ...views.map((view) => view.uses)].flat());
  if (closeness !== "close") {
    const plain = closeness === "plain" ? plainVerdictOf(uses) : null;
    if (plain) return { text: plain.text, name: `${PREPARED}_${plain.name}`, values: [given] };
    return { ...(closeness === "views" ? VIEWS_VERDICT : QUICK_VERDICT), values: [given] };
  }
  const hashes = JSON.stringify(Object.fromEntries(views.map(({ id, hash }) => [id, hash])));
  const functions = toPostgresParams([[...STATEMENT_FUNCTIONS.keys(), SETTING_FUNCTION, ...statementFunctions]]);
  return { text: VERDICT_SQL, values: [given, ...functions, hashes] };
}

/** The server, or a pooler before it, does not keep prepared statements. */
class NotPrepared extends Error {}

/** The catalogue's refusal of a statement that has not started. */
class ReadingRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** Converts the error that prevented a read; null when it says nothing about the statement. */
function toReadingFailure(error: unknown, secrets: readonly string[]): Error | null {
  if (!(error instanceof DatabaseError)) return null;
  if (NOT_PREPARED.includes(error.code ?? "")) return new NotPrepared();
  if (isWithoutReadingRole(error)) return new AppError("not_allowed", WITHOUT_READING_ROLE, { cause: error });
  const refusal = refusalOf(error);
  if (refusal !== null) return new ReadingRefused(refusal);
  const reason = withoutCatalog(error);
  return reason === null ? null : new AppError("not_allowed", redact(reason, secrets), { cause: error });
}
