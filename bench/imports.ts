import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MIB, type Results } from "./query/measure";
import { memoryOfTree, startProduct } from "./support/product";
import { type Spent, spent } from "./support/spent";

/*
 * Imports a CSV of many rows through the built product (upload, preview, table), beside DuckDB that reads the same file
 * into a table with types that it is told. Memory is that of all processes of the product.
 */

const ROWS = 10_000_000;
const SECONDS_MAX = 60;
const MEMORY_MIB_MAX = 500;
const LOOK_AT_MEMORY_EVERY_MS = 50;
const ROWS_PER_WRITE = 20_000;
const START_MS = Date.UTC(2026, 0, 1);
const HEADER = "id,code,name,amount,placed_at,is_paid\n";
const COLUMNS = {
  id: "BIGINT",
  code: "VARCHAR",
  name: "VARCHAR",
  amount: "DECIMAL(18,2)",
  placed_at: "TIMESTAMP",
  is_paid: "BOOLEAN",
};

/** Prints the time and the memory of an import. @param rows of the file */
export async function run([rows = String(ROWS)]: string[] = []): Promise<void> {
  const count = Number(rows);
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-imports-"));
  const file = join(folder, "orders.csv");
  const product = await startProduct({ env: { RATE_LIMIT_SCALE: "100000" } });
  try {
    await pipeline(Readable.from(csvOf(count)), createWriteStream(file));
    const bare = await spent([process.pid], () => readByDuckDB(file, join(folder, "bare.duckdb"), count));
    const send = await connect(product.address);
    const before = memoryOfTree(product.pid) ?? 0;
    let grown = 0;
    let most = 0;
    const timer = setInterval(() => {
      grown = Math.max(grown, (memoryOfTree(product.pid) ?? 0) - before);
    }, LOOK_AT_MEMORY_EVERY_MS);
    let id = "";
    const body = () => Readable.toWeb(createReadStream(file)) as ReadableStream;
    const steps: Record<string, () => Promise<void>> = {
      upload: async () => {
        ({ id } = await send("/imports?name=orders.csv", body(), { "Content-Type": "application/octet-stream" }));
      },
      preview: async () => void (await send(`/imports/${id}/preview`, "{}")),
      table: async () => {
        const { rows: written } = await send(`/imports/${id}/table`, JSON.stringify({ table: "orders" }));
        if (written !== count) throw new Error(`The table has ${written} of ${count} rows.`);
      },
    };
    const results: Results = { [`file of ${count} rows`]: `${Math.round(statSync(file).size / MIB)} MiB` };
    const total: Spent = { wallS: 0, cpuS: 0 };
    for (const [name, work] of Object.entries(steps)) {
      grown = 0;
      const { wallS, cpuS } = await spent([product.pid], work);
      results[name] = `${textOf({ wallS, cpuS })}, memory +${(grown / MIB).toFixed(0)} MiB`;
      most = Math.max(most, grown);
      total.wallS += wallS;
      total.cpuS += cpuS;
    }
    clearInterval(timer);
    const memory = most / MIB;
    results.all = `${textOf(total)}, ${total.wallS <= SECONDS_MAX ? "within" : "OVER"} the budget of ${SECONDS_MAX} s`;
    results.DuckDB = `${textOf(bare)}: ${(total.wallS / bare.wallS).toFixed(2)}x and ${(total.cpuS / bare.cpuS).toFixed(2)}x`;
    results.memory = `+${memory.toFixed(0)} MiB, ${memory <= MEMORY_MIB_MAX ? "within" : "OVER"} the budget of ${MEMORY_MIB_MAX}`;
    console.table(results);
  } finally {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function* csvOf(count: number): Generator<string> {
  yield HEADER;
  for (let first = 0; first < count; first += ROWS_PER_WRITE) {
    let text = "";
    for (let i = first; i < Math.min(count, first + ROWS_PER_WRITE); i += 1) {
      const code = String((i * 7) % 100_000).padStart(6, "0");
      const placedAt = new Date(START_MS + i * 1000).toISOString().slice(0, 19).replace("T", " ");
      text += `${i},${code},"name, of ${i}",${((i * 13) % 1_000_000) / 100},${placedAt},${i % 3 === 0}\n`;
    }
    yield text;
  }
}

async function readByDuckDB(file: string, target: string, count: number): Promise<void> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(target, { threads: "2" });
  const connection = await instance.connect();
  const columns = Object.entries(COLUMNS).map(([name, type]) => `'${name}': '${type}'`);
  await connection.run(
    `create table orders as select * from read_csv('${file}', header = true, columns = {${columns.join(", ")}})`,
  );
  const reader = await connection.runAndReadAll("select count(*) from orders");
  if (Number(reader.getRows()[0]?.[0]) !== count) throw new Error("DuckDB has read another number of rows.");
  connection.closeSync();
  instance.closeSync();
}

/** Registers, and returns a function that posts to the workspace. */
async function connect(address: string) {
  const account = { email: `bench-${randomUUID()}@example.com`, password: "seven herons by the mill" };
  const json = { "Content-Type": "application/json" };
  const registered = await fetch(`${address}/api/auth/register`, {
    method: "POST",
    headers: json,
    body: JSON.stringify(account),
  });
  const cookie = registered.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { data } = await registered.json();
  return async (path: string, body: string | ReadableStream, headers: Record<string, string> = json) => {
    const answer = await fetch(`${address}/api/workspaces/${data.workspace.id}${path}`, {
      method: "POST",
      headers: { Cookie: cookie, ...headers },
      body,
      ...(typeof body !== "string" && { duplex: "half" }),
    } as RequestInit);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
    return JSON.parse(text).data;
  };
}

function textOf({ wallS, cpuS }: Spent): string {
  return `${wallS.toFixed(1)} s, ${cpuS.toFixed(1)} s of processor`;
}
