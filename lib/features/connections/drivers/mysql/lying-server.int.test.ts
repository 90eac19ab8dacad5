import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import { startLyingProxy } from "@/test/servers/lying-proxy";
import { startMariaDb } from "@/test/servers/mariadb";
import type { TestServer } from "@/test/servers/postgres";
import { mysql } from ".";

/** The prefix of an eight-byte length. */
const LONGEST = 0xfe;
/** More bytes than a row of numbers and the end of a result. */
const END_BYTES = 90;
const QUERY = "select 12345678 as a, 9007199254740993 as b, 1.5e0 as c";

let server: TestServer | null = null;
beforeAll(async () => {
  server = await startMariaDb();
  if (!server) process.stderr.write("\nNOT TESTED: numbers of a MariaDB that lies, since it is not installed.\n\n");
}, 60_000);
afterAll(() => server?.stop());

// The library reads a number for its announced length: without the guard, this file never ended.
test("T47 is not blocked by a server that claims a number has 2^60 digits", {
  timeout: 180_000,
}, async (context) => {
  if (!server) return context.skip();
  const { host, user, password, database } = server;
  const proxy = await startLyingProxy({ port: server.port });
  const open = () => openWith(mysql, { host, port: proxy.port, user, password, database });
  const honest = await open();
  expect((await ask(honest, QUERY)).rows).toEqual([[12_345_678, "9007199254740993", 1.5]]);
  const said = proxy.said();
  await honest.close();
  const strange: unknown[] = [];
  for (let at = said - END_BYTES; at < said; at += 1) {
    proxy.tell([{ at, kind: "set", value: LONGEST }]);
    const source = await open();
    await ask(source, QUERY, { signal: AbortSignal.timeout(300) }).catch((error: unknown) => {
      if (!(error instanceof AppError) && !(error instanceof DOMException)) strange.push([at, error]);
    });
    await source.close();
  }
  await proxy.stop();
  expect(strange).toEqual([]);
});

test("T47 T107 logs nothing unmasked from a lying server, whichever byte is wrong", {
  tags: ["long"],
  timeout: 180_000,
}, async (context) => {
  if (!server) return context.skip();
  const written: unknown[][] = [];
  const spies = (["log", "info", "warn", "error", "trace"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...words: unknown[]) => void written.push(words)),
  );
  const { host, user, password, database } = server;
  const proxy = await startLyingProxy({ port: server.port });
  const open = () => openWith(mysql, { host, port: proxy.port, user, password, database });
  const query = "select seq from seq_1_to_20";
  const honest = await open();
  expect((await ask(honest, query)).rows).toHaveLength(20);
  const said = proxy.said();
  await honest.close();
  for (let at = 0; at < said; at += 7) {
    proxy.tell([{ at, kind: "set", value: 0xff }]);
    const source = await open();
    await ask(source, query, { signal: AbortSignal.timeout(300) }).catch(() => {});
    await source.close();
  }
  await proxy.stop();
  for (const spy of spies) spy.mockRestore();
  expect(written.slice(0, 3)).toEqual([]);
});
