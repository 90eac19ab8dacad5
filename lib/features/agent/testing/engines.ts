import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import { Client, types } from "pg";
import type { SqlDialect } from "@/lib/base/sql/dialects";
import { type FlowSubjectName, startFlowSubject } from "@/lib/features/connections/drivers/conformance/flow-steps";
import { ask, change } from "@/lib/features/connections/drivers/conformance/subjects";
import { buildSample } from "@/lib/platform/embedded/engine/build-sample";
import { startPostgres } from "@/test/servers/postgres";
import { type SeedTable, toSeedSql } from "../questions/seeded";

/** A table as the tool describe_entity tells of it. */
export type EngineTable = {
  name: string;
  schema?: string;
  kind: "table" | "view" | "collection";
  rowEstimate?: number;
  columns: { name: string; type: string; nullable: boolean; primaryKey: boolean }[];
  foreignKeys: { columns: string[]; references: { schema?: string; name: string; columns: string[] } }[];
};

/** A real database with one of the data sets in it, and how it is asked. */
export type TestEngine = {
  type: string;
  language: "sql" | "mongodb";
  dialect: SqlDialect | null;
  tables(): Promise<EngineTable[]>;
  /** @throws Error with the database's message */
  query(text: string): Promise<{ fields: string[]; rows: Record<string, unknown>[] }>;
  stop(): Promise<void>;
};

/** The sample shop in DuckDB. @param file where it is kept between two runs */
export async function shopEngine(file: string): Promise<TestEngine> {
  if (!existsSync(file)) await buildSample(file);
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY", threads: "2" });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const rowsOf = async (text: string) => {
    const reader = await connection.runAndReadAll(text);
    return { fields: reader.deduplicatedColumnNames(), rows: reader.getRowObjectsJson() as Record<string, unknown>[] };
  };
  return {
    type: "duckdb",
    language: "sql",
    dialect: "duckdb",
    query: rowsOf,
    async tables() {
      const { rows: columns } = await rowsOf(
        "select table_name, column_name, data_type, is_nullable from duckdb_columns() where not internal order by table_name, column_index",
      );
      const { rows: keys } = await rowsOf(
        "select table_name, unnest(constraint_column_names) as name from duckdb_constraints() where constraint_type = 'PRIMARY KEY'",
      );
      const { rows: sizes } = await rowsOf("select table_name, estimated_size from duckdb_tables()");
      const names = [...new Set(columns.map(({ table_name }) => String(table_name)))];
      return names.map((name) => {
        const size = sizes.find((each) => each.table_name === name);
        return {
          name,
          kind: size ? ("table" as const) : ("view" as const),
          ...(size && { rowEstimate: Number(size.estimated_size) }),
          columns: columns
            .filter(({ table_name }) => table_name === name)
            .map((column) => ({
              name: String(column.column_name),
              type: String(column.data_type),
              nullable: column.is_nullable === true,
              primaryKey: keys.some((key) => key.table_name === name && key.name === column.column_name),
            })),
          foreignKeys: [],
        };
      });
    },
    async stop() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

export async function sqliteEngine(tables: readonly SeedTable[]): Promise<TestEngine> {
  const database = new DatabaseSync(":memory:");
  for (const statement of toSeedSql(tables, "numbers")) database.exec(statement);
  return {
    type: "sqlite",
    language: "sql",
    dialect: "sqlite",
    async query(text) {
      const statement = database.prepare(text);
      const fields = statement.columns().map(({ name }) => name);
      return { fields, rows: statement.all() as Record<string, unknown>[] };
    },
    async tables() {
      const names = database.prepare("select name from sqlite_schema where type = 'table' order by name").all() as {
        name: string;
      }[];
      return names.map(({ name }) => {
        const columns = database.prepare('select name, type, "notnull", pk from pragma_table_xinfo(?)').all(name) as {
          name: string;
          type: string;
          notnull: number;
          pk: number;
        }[];
        const keys = database
          .prepare('select id, "table", "from", "to" from pragma_foreign_key_list(?) order by id, seq')
          .all(name) as { id: number; table: string; from: string; to: string }[];
        return {
          name,
          kind: "table" as const,
          columns: columns.map((column) => ({
            name: column.name,
            type: column.type,
            nullable: column.notnull === 0 && column.pk === 0,
            primaryKey: column.pk > 0,
          })),
          foreignKeys: keys.map((key) => ({ columns: [key.from], references: { name: key.table, columns: [key.to] } })),
        };
      });
    },
    async stop() {
      database.close();
    },
  };
}

/** @returns null when PostgreSQL is not installed */
export async function postgresEngine(tables: readonly SeedTable[]): Promise<TestEngine | null> {
  const server = await startPostgres();
  if (!server) return null;
  // Dates and exact numbers as texts, as the product gives them.
  const parsers = {
    getTypeParser: (oid: number) =>
      oid === 20 || oid === 23 || oid === 701
        ? types.getTypeParser(oid)
        : oid === 16
          ? (text: string) => text === "t"
          : (text: string) => text,
  };
  const client = new Client({
    host: server.host,
    port: server.port,
    user: server.user,
    password: server.password,
    database: server.database,
    types: parsers as never,
  });
  await client.connect();
  for (const statement of toSeedSql(tables, "words")) await client.query(statement);
  await client.query("analyze");
  const rowsOf = async (text: string) => {
    const result = await client.query(text);
    return { fields: result.fields.map(({ name }) => name), rows: result.rows as Record<string, unknown>[] };
  };
  return {
    type: "postgres",
    language: "sql",
    dialect: "postgres",
    query: rowsOf,
    async tables() {
      const { rows: columns } = await rowsOf(
        "select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, c.reltuples::int as rows, coalesce((select true from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)), false) as pk from pg_class c join pg_attribute a on a.attrelid = c.oid where c.relkind = 'r' and a.attnum > 0 and c.relnamespace = 'public'::regnamespace order by c.relname, a.attnum",
      );
      const { rows: keys } = await rowsOf(
        "select k.conrelid::regclass::text as from_table, k.confrelid::regclass::text as to_table, (select attname from pg_attribute where attrelid = k.conrelid and attnum = k.conkey[1]) as from_column, (select attname from pg_attribute where attrelid = k.confrelid and attnum = k.confkey[1]) as to_column from pg_constraint k where k.contype = 'f'",
      );
      const names = [...new Set(columns.map(({ relname }) => String(relname)))];
      return names.map((name) => ({
        name,
        kind: "table" as const,
        rowEstimate: Number(columns.find(({ relname }) => relname === name)?.rows ?? 0),
        columns: columns
          .filter(({ relname }) => relname === name)
          .map((column) => ({
            name: String(column.attname),
            type: String(column.type),
            nullable: column.attnotnull !== true,
            primaryKey: column.pk === true,
          })),
        foreignKeys: keys
          .filter(({ from_table }) => from_table === name)
          .map((key) => ({
            columns: [String(key.from_column)],
            references: { name: String(key.to_table), columns: [String(key.to_column)] },
          })),
      }));
    },
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}

/**
 * A data set behind one of the product's own drivers. Documents have their key in `_id`, as is usual there.
 * @returns null when the server is not installed
 */
export async function driverEngine(
  name: FlowSubjectName,
  dialect: SqlDialect | null,
  tables: readonly SeedTable[],
): Promise<TestEngine | null> {
  const subject = await startFlowSubject(name);
  if (!subject) return null;
  const writer = await subject.open(false);
  if (dialect === null) {
    for (const table of tables) {
      const documents = table.rows.map((row) => toDocument(table, row));
      await change(writer, { collection: table.name, operation: "insertMany", documents });
    }
  } else {
    const booleans = dialect === "sqlite" || dialect === "mysql" ? "numbers" : "words";
    for (const statement of toSeedSql(tables.map(IN_DIALECT[dialect] ?? ((table) => table)), booleans)) {
      await change(
        writer,
        dialect === "clickhouse" ? statement.replace(/^create table \w+ \((\w+) .*$/, ORDERED) : statement,
      );
    }
  }
  await writer.close();
  const source = await subject.open(true);
  return {
    type: name,
    language: dialect === null ? "mongodb" : "sql",
    dialect,
    async query(text) {
      const { fields, rows } = await ask(source, text);
      const names = fields.map((field) => field.name);
      return { fields: names, rows: rows.map((row) => Object.fromEntries(names.map((field, i) => [field, row[i]]))) };
    },
    async tables() {
      const entities = await source.entities(new AbortController().signal);
      const own = entities.filter((entity) => tables.some((table) => table.name === entity.name));
      return own.map((entity) => ({
        ...entity,
        kind: entity.kind as EngineTable["kind"],
        columns: entity.columns ?? [],
        foreignKeys: entity.foreignKeys ?? [],
      }));
    },
    async stop() {
      await source.close();
      await subject.stop();
    },
  };
}

/** What some databases have otherwise. */
const IN_DIALECT: Partial<Record<SqlDialect, (table: SeedTable) => SeedTable>> = {
  // A key needs a length, and no text here is longer.
  mysql: ({ name, ddl, columns, rows }) => ({
    name,
    ddl: ddl
      .replaceAll(" text", " varchar(200)")
      .replaceAll(" numeric not", " numeric(12, 2) not")
      .replaceAll("condition ", "`condition` "),
    columns: columns.map((column) => `\`${column}\``),
    rows,
  }),
  // Nothing refers to anything, and a column holds nothing unless it says so.
  clickhouse: ({ ddl, ...table }) => ({
    ...table,
    ddl: ddl
      .replace(/, primary key \(.*\)$/, "")
      .replace(/ references \w+\(\w+\)/g, "")
      .replaceAll(" numeric not", " numeric(12, 2) not")
      .replace(/ (text|integer|datetime|timestamp)(?=,|$)/g, " Nullable($1)")
      .replace(/ not null| primary key/g, ""),
  }),
};
/** The first column is each table's key. */
const ORDERED = "$& engine = MergeTree order by $1";

function toDocument({ columns, ddl }: SeedTable, row: SeedTable["rows"][number]): Record<string, unknown> {
  return Object.fromEntries(
    columns.map((column, i) => {
      const value = row[i] ?? null;
      const isKey = new RegExp(`(?:^|, )${column} \\w+ primary key`).test(ddl);
      const isDate = new RegExp(`(?:^|, )${column} (?:date|datetime|timestamp)\\b`).test(ddl);
      const date =
        typeof value === "string" && isDate
          ? {
              $date: new Date(
                `${value.replace(" ", "T")}Z`.replace(/^(\d{4}-\d{2}-\d{2})Z$/, "$1T00:00:00Z"),
              ).toISOString(),
            }
          : null;
      return [isKey ? "_id" : column, date ?? value];
    }),
  );
}
