import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { WireValue } from "@/lib/base/values/fields";
import type { Driver, QueryableSource } from "@/lib/features/connections/data-source";
import { startFlowSubject } from "@/lib/features/connections/drivers/conformance/flow-steps";
import { ask, startSubject } from "@/lib/features/connections/drivers/conformance/subjects";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { CLICKHOUSE, DUCKDB, MARIADB, POSTGRES, SQLITE, type TypeCase } from "./types";

const run = promisify(execFile);
/** Of what a client prints about all tables of a driver. */
const OUTPUT_BYTES_MAX = 1e9;

export const DRIVERS = ["postgres", "mariadb", "sqlite", "duckdb", "clickhouse"] as const;
export type DriverName = (typeof DRIVERS)[number];

type Dialect = {
  types: readonly TypeCase[];
  /** The column that tells rows apart, and what a table ends with. */
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
const DIALECTS: Record<DriverName, Dialect> = {
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
  /** Asks the database's own client, or its own engine where it is embedded. */
  client(...statements: string[]): Promise<string[][]>;
  stop(): Promise<void>;
};

/** @returns null where the database is not installed */
export async function startValueSubject(name: DriverName): Promise<ValueSubject | null> {
  if (name === "clickhouse") {
    const subject = await startFlowSubject("clickhouse");
    if (!subject) return null;
    const source = await subject.open(false);
    return toSubject(name, driverOf("clickhouse"), source, engineClient(source), subject.stop);
  }
  const subject = await startSubject(name);
  if (!subject) return null;
  const source = await subject.open(false);
  const { config } = subject;
  const client = name === "postgres" ? psql(config) : name === "mariadb" ? mariadb(config) : engineClient(source);
  return toSubject(name, subject.driver, source, client, subject.stop);
}

function toSubject(
  name: DriverName,
  driver: Driver,
  source: QueryableSource,
  client: ValueSubject["client"],
  stop: () => Promise<void>,
): ValueSubject {
  return {
    ...DIALECTS[name],
    name,
    driver,
    source,
    client,
    stop: async () => {
      await source.close();
      await stop();
    },
  };
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
