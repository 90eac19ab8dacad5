import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { SERVER_QUERIES_DEFAULT, sessionsMaxFor } from "../shared/limits";
import { postgres } from ".";

const SESSIONS_MAX = sessionsMaxFor(SERVER_QUERIES_DEFAULT);

/** State that outlives a transaction: a lock of the session, and the seed of its random numbers. */
const MAKE_KEEPER = `create function keep_lock(n int) returns int language plpgsql as
  $$ begin perform pg_advisory_lock(77), setseed(0.5), set_config('app.mark', 'left', false); return 1 / n; end $$`;
const LEFT = `select (select count(*) from pg_locks where locktype = 'advisory') as locks,
  current_setting('app.mark', true) as mark, (select count(*) from pg_prepared_statements where name not like 'millrace%') as prepared`;

let server: TestServer | null = null;
let reader: QueryableSource;

beforeAll(async () => {
  server = await startPostgres();
  if (!server) {
    process.stderr.write("\nNOT TESTED: what a session keeps, since PostgreSQL is not installed.\n\n");
    return;
  }
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  const writer = await openWith(postgres, config);
  await ask(writer, MAKE_KEEPER, { readOnly: false });
  await ask(writer, "create type mood as enum ('calm', 'wild')", { readOnly: false });
  await ask(writer, "create table days as select 'calm'::mood as m, array['wild'::mood] as ms", { readOnly: false });
  // The effects of such a function are not visible from outside, so only a user without rights on the server may call
  // it.
  await ask(writer, "create role ordinary login password 'a password'", { readOnly: false });
  await ask(writer, "grant select on days to ordinary", { readOnly: false });
  await writer.close();
  reader = await openWith(postgres, { ...config, user: "ordinary", password: "a password" });
}, 60_000);
afterAll(async () => {
  await reader?.close();
  await server?.stop();
});

test.for<[string, () => Promise<unknown>]>([
  ["was read to its end", () => ask(reader, "select keep_lock(1)")],
  ["failed", () => expect(ask(reader, "select keep_lock(0)")).rejects.toMatchObject({ kind: "query_failed" })],
  [
    "was left in the middle of its rows",
    async () => {
      const signal = new AbortController().signal;
      const query = "select keep_lock(1), i from generate_series(1, 100000) i";
      const { batches } = await reader.query({ query }, { readOnly: true, timeoutMs: 10_000, signal });
      for await (const batch of batches) if (batch.rowCount > 0) break;
    },
  ],
])("T50 a statement that %s leaves no lock, setting or statement to the next one", async ([, run], context) => {
  if (!server) return context.skip();
  for (let round = 0; round < 3; round += 1) {
    await run();
    await expect.poll(async () => (await ask(reader, LEFT)).rows[0]).toEqual([0, expect.toBeOneOf([null, ""]), 0]);
  }
});

test("reuses sessions: many sequential statements need no more than the pool's size", async (context) => {
  if (!server) return context.skip();
  const processes = new Set<unknown>();
  for (let round = 0; round < 5 * SESSIONS_MAX; round += 1) {
    processes.add((await ask(reader, "select pg_backend_pid()")).rows[0]?.[0]);
  }
  expect(processes.size).toBeLessThanOrEqual(SESSIONS_MAX);
});

test("returns columns of unknown types unchanged, for concurrent queries too", async (context) => {
  if (!server) return context.skip();
  const fresh = await openWith(postgres, { ...server, stop: undefined, restart: undefined });
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(fresh, "select m, ms, 7 as n from days")));
  expect(answers.map(({ rows }) => rows)).toEqual(Array.from({ length: 5 }, () => [["calm", ["wild"], 7]]));
  await fresh.close();
});
