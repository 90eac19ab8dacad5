import "server-only";
import { DatabaseError, type FieldDef } from "pg";
import { toSqlPath } from "@/lib/base/sql/names";
import { firstWordOf } from "@/lib/base/sql/statement-kind";
import type { Entity, Field } from "@/lib/base/values/fields";
import type {
  DataSource,
  ExtractRequest,
  ExtractStream,
  QueryOptions,
  ResultStream,
  SourceFacts,
  Statement,
} from "../../data-source";
import { toQueryFailure } from "../postgres/failures";
import { toPostgresParams } from "../postgres/params";
import { portalBatches } from "../postgres/portal-batches";
import { PostgresSession, type SessionRules } from "../postgres/session";
import { nameWithModifier } from "../postgres/types";
import type { NetworkConfig } from "../shared/config";
import { noSuchTable, toScript } from "../shared/ddl";
import { redactDefinition } from "../shared/definition-secrets";
import { ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import { sqlText } from "../shared/params";
import { PooledSource } from "../shared/pooled-source";
import { type OnServer, withinLimit } from "../shared/server";
import { StatementRun } from "../shared/statement-run";
import { checkStatementText } from "../shared/statements/check";
import {
  CURRENT_SCHEMA_SQL,
  columnsSql,
  KEY_COLUMNS_SQL,
  KEYS_SQL,
  SCHEMAS_SQL,
  tablesSql,
  toEntities,
} from "./catalog";
import { extractRedshift } from "./flows";
import { RIGHTS_SQL, warningOf } from "./rights";
import { REDSHIFT_TYPES, redshiftDecoderOf } from "./types";

/** Statements that leave nothing behind in their session, unless they select into a table. */
const READING = new Set(["SELECT", "WITH", "SHOW", "EXPLAIN"]);
/** Time limit of driver queries, in ms: the catalogue of a large cluster takes seconds. */
const OWN_READING_TIMEOUT_MS = 60_000;
/** Redshift honours a row limit only with a named portal, and a single-node cluster takes at most 1,000 rows. */
const PORTAL = { name: "millrace", rowsMax: 1000 };

/**
 * Starts a read-only transaction. SET TRANSACTION does not exist. Two more digits make the text of a float exact; 2 is
 * the maximum.
 */
const beginReading = (timeoutMs: number) =>
  `BEGIN READ ONLY; SET statement_timeout TO ${Math.ceil(timeoutMs)}; SET extra_float_digits TO 2`;
const limited = (timeoutMs: number) => `SET statement_timeout TO ${Math.ceil(timeoutMs)}; SET extra_float_digits TO 2`;

/** DISCARD does not exist, so a session that may have made temporary tables is closed instead. */
const RULES: SessionRules = {
  settings: { client_encoding: "UTF8", DateStyle: "ISO, MDY", TimeZone: "UTC" },
  beginReading: [beginReading(OWN_READING_TIMEOUT_MS)],
  cleanUp: [{ text: "ROLLBACK" }, { text: "RESET ALL" }],
};

/** An Amazon Redshift database. */
export class RedshiftSource extends PooledSource<PostgresSession> implements DataSource {
  constructor(config: OnServer<NetworkConfig>) {
    super(config, {
      open: (signal) => PostgresSession.open(config, signal, RULES),
      read: (session, sql) => session.read(sql),
      toFailure: toQueryFailure,
      schemasSql: SCHEMAS_SQL,
      defaultSchemaSql: CURRENT_SCHEMA_SQL,
    });
  }

  async query({ query, params }: Statement, options: QueryOptions): Promise<ResultStream> {
    const text = sqlText(query);
    const values = toPostgresParams(params);
    const { readOnly, signal, cellBytesMax, jsonAsText = false } = options;
    const timeoutMs = withinLimit(this.server, options.timeoutMs);
    await checkStatementText("redshift", { query: text, readOnly }, this.server.workspaceId);
    const run = new StatementRun(await this.pool.acquire(signal), this.pool, signal);
    try {
      await run.session.run(readOnly ? beginReading(timeoutMs) : limited(timeoutMs));
      if (!READING.has(firstWordOf(text, "redshift")) || /\binto\b/i.test(text)) run.session.retire();
      const decodersOf = (fields: readonly FieldDef[]) =>
        fields.map(({ dataTypeID }) => redshiftDecoderOf(dataTypeID, jsonAsText));
      const portal = run.begin(
        run.session.start(
          {
            // A suspended portal takes no other statement, so the session is cleaned after the sync.
            preamble: [],
            epilogue: [],
            portal: PORTAL,
            text,
            values,
            cellBytesMax,
            readsToEnd: options.isChange,
            decodersOf,
          },
          cellBytesMax === undefined ? ROW_BYTES_MAX : cellBytesMax * ROW_CELLS_MAX,
        ),
      );
      const fields = (await portal.fields).map(toField);
      return {
        fields,
        batches: portalBatches(run, portal, options, (error) => this.ended(run, error, text, signal)),
        affectedRows: () => portal.affectedRows,
      };
    } catch (error) {
      throw this.ended(run, error, text, signal);
    }
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    return extractRedshift((statement, options) => this.query(statement, options), request);
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    const { schemas } = this.server;
    return this.ask(signal, async (session) => {
      const [current] = await session.read(CURRENT_SCHEMA_SQL);
      return toEntities(current?.[0], {
        tables: await session.read(tablesSql(schemas)),
        columns: await session.read(columnsSql(schemas)),
        keys: await readKeys(session, KEYS_SQL),
        keyColumns: await readKeys(session, KEY_COLUMNS_SQL),
      });
    });
  }

  async ddl({ schema, name, kind }: Entity, signal: AbortSignal): Promise<string> {
    const path = toSqlPath([schema, name], "redshift");
    const show = `show ${kind === "view" ? "view" : "table"} ${path}`;
    const rows = await this.ask(signal, async (session) => {
      try {
        return await session.read(show);
      } catch (error) {
        if (error instanceof DatabaseError && error.code === "42P01") throw noSuchTable(name);
        throw error;
      }
    });
    const statements = rows.flatMap(([statement]) =>
      typeof statement === "string" ? redactDefinition(statement, "plain") : [],
    );
    return toScript(statements, name);
  }

  async test(signal: AbortSignal): Promise<SourceFacts> {
    return this.ask(signal, async (session) => {
      const [version] = await session.read("select version()");
      const rights = await session.read(RIGHTS_SQL).catch((error: unknown) => {
        if (error instanceof DatabaseError) return null;
        throw error;
      });
      const warning = warningOf(rights && (rights[0] ?? null));
      const [named] = /Redshift [\d.]+/.exec(String(version?.[0] ?? "")) ?? [];
      return { serverVersion: named ?? "Redshift", ...(warning !== null && { warning }) };
    });
  }
}

/** Reads about keys, which are only hints: a cluster that refuses these catalogues has tables without keys. */
async function readKeys(session: PostgresSession, sql: string): Promise<unknown[][]> {
  try {
    return await session.read(sql);
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  }
}

function toField({ name, dataTypeID, dataTypeModifier }: FieldDef): Field {
  const known = REDSHIFT_TYPES.get(dataTypeID);
  const type = known?.type ?? "other";
  return { name, type, dbType: nameWithModifier(dataTypeID, known?.name ?? String(dataTypeID), dataTypeModifier) };
}
