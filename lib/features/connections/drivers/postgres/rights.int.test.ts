import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { directServer } from "@/test/fixtures/connections/drivers/shared/direct-server";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { postgres } from ".";
import { parsePostgresConfig } from "./config";
import { PostgresSession } from "./session";

const ANY = new AbortController().signal;
/** Hides a relation: PostgreSQL's tables keep their rows, only the privilege changes. */
const HIDE = (relation: string) => `revoke select on pg_catalog.${relation} from public`;
const SHOW = (relation: string) => `grant select on pg_catalog.${relation} to public`;

let server: TestServer | null = null;
let admin: QueryableSource;

beforeAll(async () => {
  server = await startPostgres();
  if (!server) {
    process.stderr.write("\nNOT TESTED: rights beyond tables, since PostgreSQL is not installed.\n\n");
    return;
  }
  admin = await openAs(server.user, server.password, false);
  await change(admin, "create role ordinary login password 'a password'", "create table plain (a int)");
  await change(admin, "grant select on plain to ordinary", "create role between");
}, 60_000);
afterAll(async () => {
  await admin?.close();
  await server?.stop();
});

function configOf(user: string, password: string) {
  const { host, port, database } = server as TestServer;
  return { host, port, database, user, password };
}
const openAs = (user: string, password: string, readOnly = true) =>
  openWith(postgres, configOf(user, password), readOnly);

async function factsOfOrdinary() {
  const source = await openAs("ordinary", "a password");
  try {
    return await source.test(ANY);
  } finally {
    await source.close();
  }
}

test.for<[string, string, string]>([
  ["pg_monitor", "grant pg_monitor to ordinary", "revoke pg_monitor from ordinary"],
  ["pg_signal_backend", "grant pg_signal_backend to ordinary", "revoke pg_signal_backend from ordinary"],
  ["pg_checkpoint", "grant pg_checkpoint to ordinary", "revoke pg_checkpoint from ordinary"],
  ["pg_read_server_files", "grant pg_read_server_files to ordinary", "revoke pg_read_server_files from ordinary"],
  ["REPLICATION", "alter role ordinary replication", "alter role ordinary noreplication"],
  ["CREATEROLE", "alter role ordinary createrole", "alter role ordinary nocreaterole"],
])("T42 a connection test names %s among the privileges beyond tables", async ([right, give, take], context) => {
  if (!server) return context.skip();
  expect(await factsOfOrdinary()).toEqual({ serverVersion: expect.any(String) });
  await change(admin, give);
  expect(await factsOfOrdinary()).toMatchObject({ warning: expect.stringContaining(right) });
  await change(admin, take);
});

test("T42 names a privilege inherited from another role, and not data privileges", async (context) => {
  if (!server) return context.skip();
  await change(admin, "grant pg_write_server_files to between", "grant between to ordinary");
  await change(admin, "grant pg_read_all_data, pg_write_all_data to ordinary");
  const { warning } = await factsOfOrdinary();
  expect(warning).toContain("(pg_write_server_files)");
  await change(admin, "revoke between, pg_read_all_data, pg_write_all_data from ordinary");
});

test.for(["pg_proc", "pg_roles", "pg_class", "pg_operator"])(
  "T42 a server without a readable %s runs nothing read-only, gives the reason, and can be tested",
  async (relation, context) => {
    if (!server) return context.skip();
    await change(admin, HIDE(relation));
    const reader = await openAs("ordinary", "a password");
    const writer = await openAs("ordinary", "a password", false);
    try {
      const refused = { kind: "not_allowed", message: expect.stringContaining("PostgreSQL 12 or later") };
      await expect(ask(reader, "select count(*) + 1 from plain where a = 1")).rejects.toMatchObject(refused);
      await expect(ask(reader, "select pg_read_file('/etc/hostname')")).rejects.toMatchObject({ kind: "not_allowed" });
      expect(await reader.test(ANY)).toMatchObject({ serverVersion: expect.stringContaining("PostgreSQL") });
      expect((await ask(writer, "select count(*) from plain", { readOnly: false })).rows).toEqual([[0]]);
    } finally {
      await Promise.all([reader.close(), writer.close()]);
      await change(admin, SHOW(relation));
    }
    const again = await openAs("ordinary", "a password");
    expect((await ask(again, "select count(*) + 1 from plain where a = 1")).rows).toEqual([[1]]);
    await again.close();
  },
);

test("connects with a warning to a server that does not report privileges", async (context) => {
  if (!server) return context.skip();
  await change(admin, HIDE("pg_roles"));
  expect(await factsOfOrdinary()).toMatchObject({ warning: expect.stringContaining("Couldn't check") });
  await change(admin, SHOW("pg_roles"));
});

test("reports the first failure of its own lookups, even if the connection is lost", async (context) => {
  if (!server) return context.skip();
  const session = await PostgresSession.open(
    { ...parsePostgresConfig(configOf("ordinary", "a password")), server: directServer() },
    ANY,
  );
  await expect(session.read("select pg_terminate_backend(pg_backend_pid())")).rejects.toMatchObject({ code: "57P01" });
  session.destroy();
});
