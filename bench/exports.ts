import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { Client } from "pg";
import { startPostgres, type TestServer } from "../test/servers/postgres";
import { MIB, type Results } from "./query/measure";
import { type Ask, connect, drain } from "./query/product";
import { memoryOfTree, startProduct } from "./support/product";
import { medianOf, parentOf, type Spent, spent } from "./support/spent";

/*
 * Measures exports of a large result over HTTP, beside the tools that people would use instead, in turns in one run.
 * Wall time depends on the load of the machine, so processor time of all processes is measured too: the tool or the
 * product, and the database.
 *
 * psql is needed. EXPORTS_PYTHON is a Python with connectorx, duckdb and pyarrow; without it these are skipped.
 */

const ROWS = 1_000_000;
const ROUNDS = 3;
const MEMORY_MIB_MAX = 100;
const LOOK_AT_MEMORY_EVERY_MS = 50;

const tableOf = (rows: number) => `create table wide as select i::int8 as id, 'name of row ' || i as name,
  ((i * 7) % 100000 / 100.0)::numeric(12,2) as price, timestamptz '2026-01-01' + i * interval '1.5 second' as placed_at,
  i % 3 = 0 as flag, jsonb_build_object('id', i, 'tags', jsonb_build_array('a', 'b', i % 7), 'name', 'n' || i) as doc,
  gen_random_uuid() as uid, random() * 1000 as ratio from generate_series(1, ${rows}) i`;
const ALL = "select * from wide";
const CONNECTORX = `import sys, connectorx
connectorx.read_sql(sys.argv[1], "${ALL}", return_type="arrow")`;
/** DuckDB's extension for PostgreSQL is downloaded when it is first used, so psql reads the rows. */
const DUCKDB = `import duckdb, sys
duckdb.sql("""copy (select * from read_csv('/dev/stdin', header=true, columns={'id':'BIGINT','name':'VARCHAR',
'price':'DECIMAL(12,2)','placed_at':'TIMESTAMPTZ','flag':'BOOLEAN','doc':'VARCHAR','uid':'UUID','ratio':'DOUBLE'}))
to '/dev/null' (format parquet)""")`;

type Format = "csv" | "ndjson" | "arrow" | "parquet";
type Tool = { name: string; command: string; python?: string; budget: number };

/** Prints the time of each format, and its ratio to a tool. @param rows of the table */
export async function run([rows = String(ROWS)]: string[] = []): Promise<void> {
  const server = await startPostgres();
  if (!server) throw new Error("PostgreSQL is not installed, so there is nothing to measure.");
  const { host, port, user, password, database } = server;
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  const product = await startProduct({ env: { ALLOW_PRIVATE_NETWORK: "all" } });
  const agent = new Agent({ keepAlive: true });
  try {
    await client.query(tableOf(Number(rows)));
    await client.query("vacuum analyze wide");
    const { rows: pids } = await client.query("select pg_backend_pid() as pid");
    const database = parentOf(pids[0].pid);
    const ask = await connect(product.address, agent, server);
    const results: Results = {};
    for (const [format, tool] of Object.entries(toolsOf(server)) as [Format, Tool | null][]) {
      results[`${rows} x 8 as ${format}`] = await measure(ask, format, tool, { product: product.pid, database });
    }
    console.table(results);
  } finally {
    agent.destroy();
    await product.stop();
    await client.end();
    await server.stop();
  }
}

function toolsOf({ host, port, user, password, database }: TestServer): Record<Format, Tool | null> {
  const uri = `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
  const psql = `psql -X -q '${uri}' -c "\\copy (${ALL}) to stdout csv header"`;
  const python = (name: string, script: string, before: string, budget: number): Tool | null => {
    const program = process.env.EXPORTS_PYTHON;
    if (!program || spawnSync(program, ["-c", `import ${name}`]).status !== 0) return null;
    return { name, command: `${before}"$EXPORTS_PYTHON" -c "$SCRIPT" '${uri}'`, python: script, budget };
  };
  return {
    csv: { name: "psql", command: `${psql} > /dev/null`, budget: 1.5 },
    ndjson: null,
    arrow: python("connectorx", CONNECTORX, "", 1.3),
    parquet: python("duckdb", DUCKDB, `${psql} | `, 2),
  };
}

async function measure(
  ask: Ask,
  format: Format,
  tool: Tool | null,
  { product, database }: { product: number; database: number },
): Promise<string> {
  const ours: Spent[] = [];
  const theirs: Spent[] = [];
  let bytes = 0;
  let grown = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (tool) {
      theirs.push(
        await spent([process.pid, database], async () => {
          const env = { ...process.env, SCRIPT: tool.python ?? "" };
          const [code] = await once(
            spawn("bash", ["-c", tool.command], { env, stdio: ["ignore", "ignore", "inherit"] }),
            "exit",
          );
          if (code !== 0) throw new Error(`${tool.name} ended with ${code}.`);
        }),
      );
    }
    const before = memoryOfTree(product) ?? 0;
    const timer = setInterval(() => {
      grown = Math.max(grown, (memoryOfTree(product) ?? 0) - before);
    }, LOOK_AT_MEMORY_EVERY_MS);
    ours.push(
      await spent([product, database], async () => {
        bytes = 0;
        const answer = await ask(ALL, format);
        answer.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        await drain(answer);
      }),
    );
    clearInterval(timer);
  }
  const [own, other] = [medianOf(ours), medianOf(theirs)];
  const text = (each: Spent) => `${each.wallS.toFixed(1)} s, ${each.cpuS.toFixed(1)} s of processor`;
  const memory = `memory +${(grown / MIB).toFixed(0)} MiB of ${MEMORY_MIB_MAX}; ${(bytes / MIB).toFixed(0)} MiB sent`;
  if (!tool) return `${text(own)}; ${memory}`;
  const [wall, cpu] = [own.wallS / other.wallS, own.cpuS / other.cpuS];
  const verdict = wall <= tool.budget ? "within" : "OVER";
  return `${text(own)}; ${tool.name} ${text(other)}: ${wall.toFixed(2)}x and ${cpu.toFixed(2)}x, ${verdict} the budget of ${tool.budget}x; ${memory}`;
}
