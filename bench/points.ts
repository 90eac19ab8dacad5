import { readFileSync } from "node:fs";
import type { QueryableSource } from "../lib/features/connections/data-source";
import { type SubjectName, startSubject } from "../test/conformance/drivers/subjects";
import { drain, execute, type Results } from "./query/measure";
import { medianOf, parentOf, type Spent, spent } from "./support/spent";

/*
 * Measures a query of one row by its primary key against `select 1`, through each driver on a read-only connection. The
 * difference is the check that the statement only reads, and the database's own work for the row.
 */

/** Budget for the processor time of a point query, in multiples of that of `select 1`. */
const SHARE_MAX = 1.3;
const ROUNDS = 3;
const EACH = 400;
const ROWS = 1000;
const NAMES: readonly SubjectName[] = ["postgres", "mariadb", "sqlite", "duckdb"];

/** Prints the cost of point queries, of all databases or of the named one. */
export async function run([only]: string[] = []): Promise<void> {
  const results: Results = {};
  for (const name of NAMES.filter((each) => only === undefined || each === only)) {
    const subject = await startSubject(name);
    if (!subject) continue;
    const admin = await subject.open(false);
    for (const statement of setUp()) await drain(admin, statement, false);
    const source = await subject.open(true);
    try {
      const trees = [process.pid, ...(await databaseTrees(name, source))];
      results[name] = await measure(source, trees);
    } finally {
      await source.close();
      await admin.close();
      await subject.stop();
    }
  }
  console.table(results);
}

function setUp(): string[] {
  const rows = Array.from({ length: ROWS }, (_, id) => `(${id}, 'name ${id}', ${id} * 1.5)`);
  return [
    "create table points (id int primary key, name varchar(40), price decimal(12, 2))",
    `insert into points values ${rows.join(", ")}`,
  ];
}

/** Returns the processes of a server that is not a child of this one. */
async function databaseTrees(name: SubjectName, source: QueryableSource): Promise<number[]> {
  if (name === "postgres") return [parentOf(Number(await firstCell(source, "select pg_backend_pid()")))];
  if (name === "mariadb") return [Number(readFileSync(String(await firstCell(source, "select @@pid_file")), "utf8"))];
  return [];
}

async function firstCell(source: QueryableSource, query: string): Promise<unknown> {
  const { batches } = await execute(source, query);
  for await (const { columns } of batches) return columns[0]?.[0];
  return null;
}

async function measure(source: QueryableSource, trees: number[]): Promise<string> {
  let id = 0;
  // Another literal each time, as people write them.
  const queries = { none: () => "select 1 as a", point: () => `select * from points where id = ${id++ % ROWS}` };
  const spentBy: Record<keyof typeof queries, Spent[]> = { none: [], point: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, query] of Object.entries(queries) as [keyof typeof queries, () => string][]) {
      const cost = await spent(trees, async () => {
        for (let count = 0; count < EACH; count += 1) await drain(source, query());
      });
      // The first round warms up.
      if (round >= 0) spentBy[name].push(cost);
    }
  }
  const [none, point] = [medianOf(spentBy.none), medianOf(spentBy.point)];
  const ms = (seconds: number) => `${((seconds / EACH) * 1000).toFixed(2)} ms`;
  const share = point.cpuS / none.cpuS;
  return (
    `${ms(point.cpuS)} against ${ms(none.cpuS)} of processor time: ${share.toFixed(2)}x, ` +
    `${share <= SHARE_MAX ? "within" : "OVER"} the budget of ${SHARE_MAX}x; wall ${(point.wallS / none.wallS).toFixed(2)}x`
  );
}
