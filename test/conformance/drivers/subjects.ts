import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Field, WireValue } from "@/lib/base/values/fields";
import { startDocumentStore } from "@/test/servers/document-store";
import { startMariaDb } from "@/test/servers/mariadb";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { Driver, QueryableSource, QueryOptions, Statement } from "../../../lib/features/connections/data-source";
import { requireQueryable } from "../../../lib/features/connections/queryable";

export type SubjectName = "postgres" | "mariadb" | "sqlite" | "duckdb" | "mongodb" | "trino";

/** Variables with the URL of a running server, for databases that a test cannot start. */
const URLS: Partial<Record<SubjectName, string>> = { trino: "TRINO_TEST_URL" };

/** A running database of one kind, and a way to open it through its driver. */
export type Subject = {
  open(readOnly: boolean): Promise<QueryableSource>;
  config: Record<string, unknown>;
  driver: Driver;
  server: Pick<TestServer, "port" | "restart"> | null;
  stop(): Promise<void>;
};

const WORKSPACE_ID = "a".repeat(24);
const CONNECTION_ID = "b".repeat(24);
/** No statement here takes long, except those that are cancelled. */
const TIMEOUT_MS = 60_000;

/**
 * Starts a database. The embedded ones are always available. Tests of a server that is not installed are skipped, with
 * a message.
 */
export async function startSubject(name: SubjectName): Promise<Subject | null> {
  const subject = await START[name]();
  if (!subject)
    process.stderr.write(
      `\nNOT TESTED: ${name} is ${URLS[name] ? `not named by ${URLS[name]}` : "not installed"}, so its guarantees were not checked.\n\n`,
    );
  return subject;
}

const START: Record<SubjectName, () => Promise<Subject | null>> = {
  postgres: async () =>
    fromServer(await startPostgres(), (await import("../../../lib/features/connections/drivers/postgres")).postgres),
  mariadb: async () =>
    fromServer(await startMariaDb(), (await import("../../../lib/features/connections/drivers/mysql")).mysql),
  sqlite: async () => fromFile("sqlite", (await import("../../../lib/features/connections/drivers/sqlite")).sqlite),
  duckdb: async () => fromFile("duckdb", (await import("../../../lib/features/connections/drivers/duckdb")).duckdb),
  mongodb: async () => {
    const { mongodb } = await import("../../../lib/features/connections/drivers/mongodb");
    const store = await startDocumentStore();
    const config = { connectionString: store.uri, database: "shop" };
    return { ...opener(mongodb, config), server: store, stop: store.stop };
  },
  /** Uses the catalog memory, with a schema that the test creates and drops, and tpch. */
  trino: async () => {
    const url = process.env.TRINO_TEST_URL;
    if (url === undefined) return null;
    const { trino } = await import("../../../lib/features/connections/drivers/trino");
    const { hostname: host, port } = new URL(url);
    const address = { host, port: Number(port), catalog: "memory", user: "millrace" };
    const schema = `test_${randomUUID().replaceAll("-", "")}`;
    const admin = await openWith(trino, address, false);
    await change(admin, `create schema ${schema}`);
    const stop = async () => {
      const left = await admin.entities(new AbortController().signal);
      for (const { name, kind } of left.filter((each) => each.schema === schema)) {
        await change(admin, `drop ${kind} ${schema}.${name}`);
      }
      await change(admin, `drop schema ${schema}`);
      await admin.close();
    };
    return { ...opener(trino, { ...address, schema }), server: null, stop };
  },
};

function fromServer(server: TestServer | null, driver: Driver): Subject | null {
  if (!server) return null;
  const { host, port, user, password, database } = server;
  return { ...opener(driver, { host, port, user, password, database }), server, stop: server.stop };
}

/** Opens a file in a separate data folder. Tests that have read the settings already keep their folder. */
function fromFile(ending: string, driver: Driver): Subject {
  const folder = mkdtempSync(join(tmpdir(), "millrace-files-"));
  process.env.DATA_DIR = folder;
  const file = `conformance-${randomUUID()}.${ending}`;
  return {
    ...opener(driver, { file }),
    server: null,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function opener(driver: Driver, config: Record<string, unknown>): Pick<Subject, "open" | "config" | "driver"> {
  return {
    driver,
    config,
    open: (readOnly) => openWith(driver, config, readOnly),
  };
}

export async function openWith(
  driver: Driver,
  config: Record<string, unknown>,
  readOnly = true,
): Promise<QueryableSource> {
  return requireQueryable(
    await driver.open({ workspaceId: WORKSPACE_ID, connectionId: CONNECTION_ID, config, readOnly }),
  );
}

export type Answer = { fields: Field[]; rows: WireValue[][]; isCut: boolean };
type AskOptions = Partial<QueryOptions & Statement> & { rowsMax?: number };

/** Runs a statement, read-only unless the options say otherwise, and collects its rows. */
export async function ask(
  source: QueryableSource,
  query: Statement["query"],
  { params, orderBytes, exactFields, query: _, rowsMax = Number.POSITIVE_INFINITY, ...options }: AskOptions = {},
): Promise<Answer> {
  const { fields, batches } = await source.query(
    { query, ...(params && { params }), ...(orderBytes && { orderBytes }), ...(exactFields && { exactFields }) },
    { readOnly: true, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal, ...options },
  );
  const answer: Answer = { fields, rows: [], isCut: false };
  for await (const { rowCount, columns, isCut } of batches) {
    for (let row = 0; row < rowCount; row += 1) answer.rows.push(columns.map((column) => column[row] ?? null));
    answer.isCut ||= isCut === true;
    if (answer.rows.length >= rowsMax) break;
  }
  return answer;
}

export async function change(source: QueryableSource, ...statements: Statement["query"][]): Promise<void> {
  for (const statement of statements) await ask(source, statement, { readOnly: false });
}
