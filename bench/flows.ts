import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { DataSource, LoadMode } from "../lib/features/connections/data-source";
import { duckdb } from "../lib/features/connections/drivers/duckdb";
import { postgres } from "../lib/features/connections/drivers/postgres";
import { BATCH_ROWS } from "../lib/features/flows/limits";
import { moveEntity } from "../lib/features/flows/move-entity";
import { startPostgres, type TestServer } from "../test/servers/postgres";
import { MIB, type Results } from "./query/measure";
import { medianOf, parentOf, type Spent, spent } from "./support/spent";

/*
 * Measures flows from database to database, beside the tools that people would use instead, in turns in one run. A
 * flow also checks every value, stores its position with every batch and can be killed at any moment. Wall time
 * depends on the load of the machine, so processor time of all processes is measured too.
 *
 * psql is needed. FLOWS_PYTHON is a Python with duckdb, its postgres_scanner extension as a package, sling and dlt;
 * those that it lacks are skipped. FLOWS_PROFILE is a folder for processor profiles of this process.
 */

const ROWS = 1_000_000;
const ROUNDS = 3;

const tableOf = (rows: number) => `create table wide as select i::int8 as id, 'name of row ' || i as name,
  ((i * 7) % 100000 / 100.0)::numeric(12,2) as price, timestamptz '2026-01-01' + i * interval '1.5 second' as placed_at,
  i % 3 = 0 as flag, jsonb_build_object('id', i, 'tags', jsonb_build_array('a', 'b', i % 7), 'name', 'n' || i) as doc,
  gen_random_uuid() as uid, random() * 1000 as ratio from generate_series(1, ${rows}) i`;
const SCANNER = `import duckdb, duckdb_extension_postgres_scanner as package, glob, os, sys
file = sys.argv[2]
if os.path.exists(file): os.remove(file)
db = duckdb.connect(file, config={"threads": 2})
extension = glob.glob(os.path.dirname(package.__file__) + "/**/*.duckdb_extension", recursive=True)[0]
db.execute(f"load '{extension}'")
db.execute("create table wide as select * from postgres_scan(?, 'public', 'wide')", [sys.argv[1]])`;
const DLT = `import dlt, sys
from dlt.sources.sql_database import sql_table
dlt.pipeline("bench", destination=dlt.destinations.postgres(sys.argv[1]), dataset_name="dlt", pipelines_dir=sys.argv[2]
  ).run(sql_table(sys.argv[1], table="wide", backend="pyarrow"), write_disposition="append")`;

type Tool = { name: string; prepare?: string; command: string; script?: string };
type Path = {
  name: string;
  destination: DataSource;
  mode: LoadMode;
  isOrdered?: boolean;
  table: string;
  /** Emptied before each round, so that an append finds the same table each time. */
  isEmptied?: boolean;
};

/**
 * Prints each path's time, and its ratio to the tools.
 * @param rows of the table
 * @param part of the names of the paths to measure, for example `DuckDB`; all by default
 */
export async function run([rows = String(ROWS), rounds = String(ROUNDS), part = ""]: string[] = []): Promise<void> {
  const server = await startPostgres();
  if (!server) throw new Error("PostgreSQL is not installed, so there is nothing to measure.");
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  process.env.DATA_DIR = folder;
  const { host, port, user, password, database } = server;
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  const place = { workspaceId: "a".repeat(24), connectionId: "b".repeat(24) };
  const pg = await postgres.open({ ...place, config: { host, port, user, password, database }, readOnly: false });
  const duck = await duckdb.open({ ...place, config: { file: "bench.duckdb" }, readOnly: false });
  try {
    await client.query(tableOf(Number(rows)));
    await client.query("alter table wide add primary key (id)");
    await client.query("vacuum analyze wide");
    await client.query("create table copied (like wide)");
    await client.query("create table appended (like wide)");
    const { rows: pids } = await client.query("select pg_backend_pid() as pid");
    const trees = [process.pid, parentOf(pids[0].pid)];
    const tools = toolsOf(server, folder);
    const all: Path[] = [
      { name: "PostgreSQL to PostgreSQL, append", destination: pg, mode: "append", table: "appended", isEmptied: true },
      { name: "the same by a cursor", destination: pg, mode: "append", isOrdered: true, table: "ordered" },
      { name: "the same, replace", destination: pg, mode: "replace", table: "replaced" },
      {
        name: "the same, upsert of existing rows",
        destination: pg,
        mode: "upsert",
        isOrdered: true,
        table: "upserted",
      },
      { name: "PostgreSQL to DuckDB, append", destination: duck, mode: "append", table: "appended" },
    ];
    const paths = all.filter(({ name }) => name.includes(part));
    // The upsert's first run creates its rows and does not count.
    for (const path of paths) if (path.mode === "upsert") await flow(pg, path, Number(rows));
    const times = new Map<string, Spent[]>();
    const add = (name: string, time: Spent) => times.set(name, [...(times.get(name) ?? []), time]);
    const grown = new Map<string, number>();
    for (let round = 0; round < Number(rounds); round += 1) {
      for (const tool of tools) {
        if (tool.prepare) await client.query(tool.prepare);
        add(tool.name, await spent(trees, () => runTool(tool)));
      }
      for (const path of paths) {
        if (path.isEmptied) await client.query(`truncate ${path.table}`);
        let growth = 0;
        const stop = process.env.FLOWS_PROFILE && (await startProfile(join(process.env.FLOWS_PROFILE, path.table)));
        add(
          path.name,
          await spent(trees, async () => {
            growth = await flow(pg, path, Number(rows));
          }),
        );
        if (stop) await stop();
        grown.set(path.name, Math.max(grown.get(path.name) ?? 0, growth));
      }
    }
    const results: Results = {};
    const toText = (each: Spent) => `${each.wallS.toFixed(1)} s, ${each.cpuS.toFixed(1)} s of processor`;
    const medians = new Map([...times].map(([name, each]) => [name, medianOf(each)]));
    for (const { name } of tools) results[name] = toText(medians.get(name) as Spent);
    for (const { name, destination, mode } of paths) {
      const own = medians.get(name) as Spent;
      const others = mode === "upsert" ? ["PostgreSQL to PostgreSQL, append"] : tools.map((tool) => tool.name);
      const ratios = others
        .filter((other) => mode === "upsert" || other.includes("DuckDB") === (destination === duck))
        .map((other) => ratioText(other, medians.get(other) as Spent, own));
      results[name] = `${toText(own)}; ${ratios.join("; ")}; memory +${((grown.get(name) ?? 0) / MIB).toFixed(0)} MiB`;
    }
    console.table(results);
    console.log(`${rows} rows of 8 columns, ${rounds} rounds; load ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    await Promise.all([pg.close(), duck.close(), client.end()]);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the rates in relation to another's. */
function ratioText(name: string, other: Spent, own: Spent): string {
  return `${(other.wallS / own.wallS).toFixed(2)} of the rate of ${name} (processor ${(other.cpuS / own.cpuS).toFixed(2)})`;
}

let runs = 0;

/** @returns the growth of this process, in bytes */
async function flow(
  source: DataSource,
  { destination, mode, isOrdered = false, table }: Path,
  expected: number,
): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const signal = new AbortController().signal;
  const primaryKey = isOrdered ? ["id"] : [];
  let written = 0;
  runs += 1;
  const runId = `run ${runs}`;
  await moveEntity({
    name: table,
    runId,
    start: { at: null },
    note: { checkpoint: null, visible: null },
    isPatient: false,
    isUnsteady: false,
    read: (from, stop) =>
      source.extract?.({
        ...{ entity: { name: "wide" }, cursorField: isOrdered ? "id" : null, primaryKey, from, signal: stop },
        ...{ batchRows: BATCH_ROWS, asBytes: destination.loadsBytes === true },
      }) ?? Promise.reject(new Error("The source can't be read.")),
    load: (columns, visible, stop) =>
      destination.load?.({
        ...{ table: { name: table }, columns, mode, primaryKey: mode === "append" ? [] : ["id"] },
        ...{ load: `bench ${table}`, run: runId, visible, signal: stop },
      }) ?? Promise.reject(new Error("The destination can't be written.")),
    noteVisible: async () => {},
    rejectsLeft: () => 0,
    async moved(counts) {
      written = counts.written;
      peak = Math.max(peak, process.memoryUsage.rss());
    },
    rejected: async () => {},
    retrying: async (error) => {
      throw error;
    },
    signal,
  });
  if (written !== expected) throw new Error(`${written} rows were written instead of ${expected}.`);
  return peak - before;
}

function toolsOf({ host, port, user, password, database }: TestServer, folder: string): Tool[] {
  const uri = `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
  const psql = (command: string) => `psql -X -q '${uri}' -c "${command}"`;
  const python = process.env.FLOWS_PYTHON;
  const has = (...modules: string[]) =>
    python !== undefined && spawnSync(python, ["-c", `import ${modules.join(", ")}`]).status === 0;
  const tools: Tool[] = [
    {
      name: "COPY to COPY",
      prepare: "truncate copied",
      command: `${psql("copy wide to stdout")} | ${psql("copy copied from stdin")}`,
    },
  ];
  const add = (isThere: boolean, tool: Tool) => {
    if (isThere) tools.push(tool);
    else console.log(`${tool.name} is not installed.`);
  };
  add(has("duckdb", "duckdb_extension_postgres_scanner"), {
    name: "DuckDB's scanner",
    command: `"$FLOWS_PYTHON" -c "$SCRIPT" '${uri}' '${join(folder, "scanned.duckdb")}'`,
    script: SCANNER,
  });
  add(has("sling"), {
    name: "sling",
    command: `"$(dirname "$FLOWS_PYTHON")/sling" run --src-conn '${uri}?sslmode=disable' --src-stream public.wide --tgt-conn '${uri}?sslmode=disable' --tgt-object public.slung --mode full-refresh > /dev/null 2>&1`,
  });
  add(has("dlt"), {
    name: "dlt",
    command: `"$FLOWS_PYTHON" -c "$SCRIPT" '${uri}' '${join(folder, "dlt")}'`,
    script: DLT,
  });
  return tools;
}

async function runTool({ name, command, script = "" }: Tool): Promise<void> {
  const env = { ...process.env, SCRIPT: script, RUNTIME__DLTHUB_TELEMETRY: "false", SLING_DISABLE_TELEMETRY: "true" };
  const child = spawn("bash", ["-c", `set -o pipefail; ${command}`], { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}.`);
}

/** @returns a function that stops it and writes `<path>.cpuprofile` */
async function startProfile(path: string): Promise<() => Promise<void>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(`${path}.cpuprofile`, JSON.stringify(profile));
  };
}
