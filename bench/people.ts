import { Pool } from "pg";
import { postgres } from "../lib/features/connections/drivers/postgres";
import { SERVER_QUERIES_DEFAULT } from "../lib/features/connections/drivers/shared/limits";
import { requireQueryable } from "../lib/features/connections/queryable";
import { admit } from "../lib/features/query/admission";
import { startPostgres } from "../test/servers/postgres";
import { drain } from "./query/measure";

/*
 * Measures 50 people who each run queries of 200 ms in the database, one after the other: queries per second through
 * admission and the driver, against the bare library with the same number of connections in the same run.
 */

const PEOPLE = 50;
const QUERY = "select pg_sleep(0.2)";
const DURATION_MS = 5000;
const ROUNDS = 3;
/** Budgets: the share of the database's rate, and of the mean that the person with the fewest queries gets. */
const SHARE_MIN = 0.9;
const FAIR_MIN = 0.8;

type Outcome = { rate: number; fewest: number };

/** Prints the rates of both, alternating. */
export async function run(): Promise<void> {
  const server = await startPostgres();
  if (!server) throw new Error("PostgreSQL is not installed.");
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  const pool = new Pool({ ...config, max: SERVER_QUERIES_DEFAULT });
  const ids = { workspaceId: "a".repeat(24), connectionId: "b".repeat(24) };
  const source = requireQueryable(await postgres.open({ ...ids, config, readOnly: true }));
  const { signal } = new AbortController();
  const ours = async (person: number) => {
    const applicant = { ...ids, userId: `person ${person}`, queriesMax: SERVER_QUERIES_DEFAULT };
    const leave = await admit(applicant, signal);
    await drain(source, QUERY).finally(leave);
  };
  const outcomes: { bare: Outcome[]; ours: Outcome[] } = { bare: [], ours: [] };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      outcomes.bare.push(await measure(() => pool.query(QUERY)));
      outcomes.ours.push(await measure(ours));
    }
  } finally {
    await source.close();
    await pool.end();
    await server.stop();
  }
  const [bare, through] = [middleOf(outcomes.bare), middleOf(outcomes.ours)];
  const share = through.rate / bare.rate;
  const isWithin = share >= SHARE_MIN && through.fewest >= FAIR_MIN;
  console.table({
    [`${PEOPLE} people, ${SERVER_QUERIES_DEFAULT} connections`]:
      `${through.rate.toFixed(0)}/s, bare ${bare.rate.toFixed(0)}/s = ${share.toFixed(2)}x; ` +
      `fewest of one person ${through.fewest.toFixed(2)}x the mean: ${isWithin ? "within" : "OVER"} the budget of ${SHARE_MIN}x and ${FAIR_MIN}x`,
  });
}

async function measure(query: (person: number) => Promise<unknown>): Promise<Outcome> {
  const until = performance.now() + DURATION_MS;
  const startedAt = performance.now();
  const counts = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, person) => {
      let count = 0;
      for (; performance.now() < until; count += 1) await query(person);
      return count;
    }),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { rate: total / ((performance.now() - startedAt) / 1000), fewest: Math.min(...counts) / (total / PEOPLE) };
}

function middleOf(outcomes: readonly Outcome[]): Outcome {
  const sorted = outcomes.toSorted((a, b) => a.rate - b.rate);
  return sorted[Math.floor(sorted.length / 2)] ?? { rate: Number.NaN, fewest: Number.NaN };
}
