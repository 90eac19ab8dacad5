import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { WireValue } from "@/lib/base/values/fields";
import type { Driver, QueryableSource } from "@/lib/features/connections/data-source";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { requireQueryable } from "@/lib/features/connections/queryable";
import { startFlowSubject } from "@/test/conformance/drivers/flow-steps";
import { ask, startSubject } from "@/test/conformance/drivers/subjects";
import { startMongoSubject } from "./mongodb";
import { askClient, planTables } from "./tables";
import { startTrinoSubject } from "./trino";
import { CLICKHOUSE, DUCKDB, MARIADB, POSTGRES, SQLITE, type TypeCase } from "./types";
import type { Depth, ValueTable } from "./ways";

const run = promisify(execFile);
/** Limit for a client's output about all tables of a driver. */
const OUTPUT_BYTES_MAX = 1e9;

export const DRIVERS = ["postgres", "mariadb", "sqlite", "duckdb", "clickhouse"] as const;
export type SqlDriverName = (typeof DRIVERS)[number];
export const ALL_DRIVERS = [...DRIVERS, "mongodb"] as const;
/** Trino is only a source: nothing is written to it. */
export const ALL_SOURCES = [...ALL_DRIVERS, "trino"] as const;
export type DriverName = (typeof ALL_SOURCES)[number];

type Dialect = {
  types: readonly TypeCase[];
  /** The column that identifies rows, and the end of a table's definition. */
  id: string;
  suffix: string;
  nullable: (type: string) => string;
  /** The database's own text of `v`. */
  text: string;
  /** `text` as hexadecimal digits of its UTF-8 bytes, so that no client changes it. */
  hex: (text: string) => string;
  cast: (placeholder: string, type: string) => string;
  placeholder: string;
};

const asIs = (type: string) => type;
const DIALECTS: Record<SqlDriverName, Dialect> = {
  postgres: {
    types: POSTGRES,
    id: "bigint primary key",
    suffix: "",
    nullable: asIs,
    text: "v::text",
    hex: (text) => `encode(convert_to(${text}, 'UTF8'), 'hex')`,
    cast: (placeholder, type) => `cast(${placeholder} as ${type})`,
    placeholder: "$1",
  },
  mariadb: {
    types: MARIADB,
    id: "bigint not null primary key",
    suffix: "",
    nullable: asIs,
    text: "cast(v as char)",
    hex: (text) => `hex(convert(${text} using utf8mb4))`,
    cast: (placeholder) => placeholder,
    placeholder: "?",
  },
  sqlite: {
    types: SQLITE,
    id: "integer primary key",
    suffix: "",
    nullable: asIs,
    text: "cast(v as text)",
    hex: (text) => `hex(${text})`,
    cast: (placeholder) => placeholder,
    placeholder: "?",
  },
  duckdb: {
    types: DUCKDB,
    id: "bigint primary key",
    suffix: "",
    nullable: asIs,
    text: "cast(v as varchar)",
    hex: (text) => `hex(${text})`,
    cast: (placeholder, type) => `cast(${placeholder} as ${type})`,
    placeholder: "$1",
  },
  clickhouse: {
    types: CLICKHOUSE,
    id: "Int64",
    suffix: " engine = MergeTree order by id settings allow_nullable_key = 1",
    nullable: (type) => (/^(?:Array|Map|Tuple)\(/.test(type) ? type : `Nullable(${type})`),
    text: "toString(v)",
    hex: (text) => `hex(${text})`,
    cast: (placeholder, type) => `cast(${placeholder} as ${type})`,
    placeholder: "{p:String}",
  },
};

export type ValueSubject = Dialect & {
  name: DriverName;
  driver: Driver;
  source: QueryableSource;
  /** Settings of a connection. */
  config: Record<string, unknown>;
  hasTls: boolean;
  /** Null for a database without SQL. */
  dialectName: SqlDialect | null;
  /** Creates a table for each type, and queries all of them through the database's own client. */
  makeAll(depth: Depth): Promise<ValueTable[]>;
  /** Returns a statement for `id` and `v`. */
  select(name: string): string;
  /** Returns a statement for `id`, and the values of each table as `c0`, `c1` ... */
  wide(tables: readonly ValueTable[]): Promise<string>;
  /** Creates an empty table of a type. */
  create(name: string, type: TypeCase): Promise<void>;
  /** Queries through the database's own client, or its own engine if it is embedded. */
  client(...statements: string[]): Promise<string[][]>;
  stop(): Promise<void>;
};

/**
 * @param workspaceId of a connection that reads the same database; default: any
 * @returns null if the database is not installed
 */
export async function startValueSubject(name: DriverName, workspaceId?: string): Promise<ValueSubject | null> {
  if (name === "mongodb") return startMongoSubject();
  if (name === "trino") return startTrinoSubject();
  if (name === "clickhouse") {
    const subject = await startFlowSubject("clickhouse");
    if (!subject) return null;
    const source = await subject.open(false);
    return toSubject(
      name,
      { driver: driverOf("clickhouse"), config: subject.config ?? {}, stop: subject.stop },
      source,
    );
  }
  const subject = await startSubject(name);
  if (!subject) return null;
  const { driver, config } = subject;
  const place = { workspaceId: workspaceId ?? "a".repeat(24), connectionId: "b".repeat(24) };
  const source = requireQueryable(await driver.open({ ...place, config, readOnly: false }));
  return toSubject(name, subject, source);
}

type Started = { driver: Driver; config: Record<string, unknown>; stop: () => Promise<void> };

function toSubject(name: SqlDriverName, { driver, config, stop }: Started, source: QueryableSource): ValueSubject {
  const dialect = DIALECTS[name];
  const client = name === "postgres" ? psql(config) : name === "mariadb" ? mariadb(config) : engineClient(source);
  const subject: ValueSubject = {
    ...dialect,
    name,
    driver,
    config,
    hasTls: name === "postgres" || name === "mariadb",
    dialectName: driver.dialect ?? null,
    source,
    client,
    makeAll: async (depth) => {
      const made = dialect.types.map((_, index) => planTables(subject, index, depth));
      const statements = made.flatMap((each) => each.statements);
      // A server's client creates all tables in one session; engines run statement by statement.
      if (subject.hasTls) await client(...statements);
      else for (const statement of statements) await ask(source, statement, { readOnly: false });
      return askClient(subject, made);
    },
    select: (table) => `select id, v from ${table} order by id`,
    wide: async (tables) => {
      const count = Math.max(...tables.map(({ shown }) => shown.size));
      const ids = Array.from({ length: count }, (_, at) => `select ${at + 1} as id`).join(" union all ");
      const cells = tables.map((_, index) => `t${index}.v as c${index}`).join(", ");
      const joins = tables.map(({ keyed }, index) => `left join ${keyed.name} t${index} on t${index}.id = k.id`);
      return `select k.id as id, ${cells} from (${ids}) k ${joins.join(" ")} order by k.id`;
    },
    create: async (table, { type }) => {
      const columns = `id ${dialect.id}, v ${dialect.nullable(type)}`;
      await ask(source, `create table ${table} (${columns})${dialect.suffix}`, { readOnly: false });
    },
    stop: async () => {
      await source.close();
      await stop();
    },
  };
  return subject;
}

function psql(config: Record<string, unknown>): ValueSubject["client"] {
  const { host, port, user, password, database } = config as Record<string, string>;
  const env = {
    ...process.env,
    PGPASSWORD: String(password),
    PGCLIENTENCODING: "UTF8",
    PGOPTIONS: "-c timezone=UTC -c intervalstyle=iso_8601",
  };
  const args = ["-X", "-A", "-t", "-h", String(host), "-p", String(port), "-U", String(user), "-d", String(database)];
  return async (...statements) => {
    const commands = statements.flatMap((statement) => ["-c", statement]);
    return lines((await run("psql", [...args, "-F", "\t", ...commands], { env, maxBuffer: OUTPUT_BYTES_MAX })).stdout);
  };
}

function mariadb(config: Record<string, unknown>): ValueSubject["client"] {
  const { host, port, user, password, database } = config as Record<string, string>;
  const args = [
    "--no-defaults",
    "-N",
    "-B",
    "-h",
    String(host),
    "-P",
    String(port),
    "-u",
    String(user),
    String(database),
  ];
  const env = { ...process.env, MYSQL_PWD: String(password) };
  return async (...statements) => {
    const script = ["set time_zone = '+00:00'", "set names utf8mb4", ...statements].join(";\n");
    return lines((await run("mariadb", [...args, "-e", script], { env, maxBuffer: OUTPUT_BYTES_MAX })).stdout);
  };
}

function engineClient(source: QueryableSource): ValueSubject["client"] {
  const text = (value: WireValue) => (value === null ? "NULL" : String(value));
  return async (...statements) => {
    const rows: WireValue[][] = [];
    for (const statement of statements) rows.push(...(await ask(source, statement)).rows);
    return rows.map((row) => row.map(text));
  };
}

function lines(output: string): string[][] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
}
