import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import type { QueryableSource } from "../../data-source";
import { trino } from ".";

/* Reactions to a server that fails, lies or is unreachable. The conformance tests cover a real one. */

const MIB = 1024 * 1024;
const ANY = new AbortController().signal;
const PLACE = "/v1/statement/executing/q/slug";
type Seen = { method: string; path: string; body: string; headers: IncomingMessage["headers"] };
type Behaviour = (seen: Seen, response: ServerResponse) => void;

const seen: Seen[] = [];
let behave: Behaviour;
/** The server's reaction to the start of a transaction; null when the test does not depend on it. */
let begin: Behaviour | null;
let source: QueryableSource;
let port: number;
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    const { method = "", url = "", headers } = request;
    const each = { method, path: url, body, headers };
    seen.push(each);
    if (method === "DELETE") response.writeHead(204).end();
    else if (body.startsWith("START TRANSACTION") && begin === null) {
      answer(response, {}, { "X-Trino-Started-Transaction-Id": "tx-1" });
    } else if (body === "ROLLBACK") answer(response, {});
    else if (begin && !body.startsWith("select")) begin(each, response);
    else behave(each, response);
  });
});

function answer(response: ServerResponse, page: object, headers: Record<string, string> = {}, host = ""): void {
  const text = JSON.stringify({ id: "q", stats: {}, ...page }).replaceAll("HOST", host || `http://127.0.0.1:${port}`);
  response.writeHead(200, { "Content-Type": "application/json", ...headers }).end(text);
}

const COLUMNS = [{ name: "n", type: "integer", typeSignature: { rawType: "integer", arguments: [] } }];
const requests = (method: string) => seen.filter((each) => each.method === method);
const statements = () => requests("POST").map(({ body }) => body);

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(async () => {
  source = await openWith(trino, { host: "127.0.0.1", port, user: "reader", catalog: "lake", schema: "shop" });
  seen.length = 0;
  begin = null;
  behave = (_, response) => answer(response, { columns: COLUMNS, data: [[1]] });
});

// Waits for requests in the background.
afterEach(() => source.close());

test("T50 runs a read-only statement in a read-only transaction with rollback, a write alone", async () => {
  await ask(source, "select 1", { timeoutMs: 1500 });
  await expect.poll(statements).toEqual(["START TRANSACTION READ ONLY", "select 1", "ROLLBACK"]);
  const [begun, query, ended] = requests("POST").map(({ headers }) => headers);
  expect(begun?.["x-trino-transaction-id"]).toBe("NONE");
  expect([query?.["x-trino-transaction-id"], ended?.["x-trino-transaction-id"]]).toEqual(["tx-1", "tx-1"]);
  expect(query).toMatchObject({
    "x-trino-user": "reader",
    "x-trino-catalog": "lake",
    "x-trino-schema": "shop",
    "x-trino-session": "query_max_run_time=2s",
  });
  seen.length = 0;
  await ask(source, "insert into t values (1)", { readOnly: false });
  expect(statements()).toEqual(["insert into t values (1)"]);
  expect(seen[0]?.headers["x-trino-transaction-id"]).toBeUndefined();
});

test("T50 sends nothing to a server that starts no transaction", async () => {
  const other = createServer((_, response) => answer(response, { columns: COLUMNS, data: [[true]] }));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const config = { host: "127.0.0.1", port: typeof address === "object" ? address?.port : 0, user: "u", catalog: "c" };
  const reader = await openWith(trino, config);
  await expect(ask(reader, "select 1")).rejects.toMatchObject({ kind: "not_allowed" });
  await reader.close();
  await new Promise((resolve) => other.close(resolve));
});

test("T30 T37 stays at its own host, whatever host the server names", async () => {
  behave = ({ method }, response) =>
    method === "POST"
      ? answer(response, { nextUri: `HOST${PLACE}/1?a=b` }, {}, "http://169.254.169.254")
      : answer(response, { columns: COLUMNS, data: [[7]] });
  expect((await ask(source, "select 7")).rows).toEqual([[7]]);
  expect(requests("GET").map(({ path }) => path)).toEqual([`${PLACE}/1?a=b`]);
});

test.each(["HOST/admin/shutdown", "HOST/v1/statement/../../admin", "HOST/v1/statements", "nothing", "file:///v1/x"])(
  "T37 does not continue at %s",
  async (nextUri) => {
    behave = (_, response) => answer(response, { nextUri });
    await expect(ask(source, "select 1")).rejects.toMatchObject({ kind: "source_unreachable" });
    expect(requests("GET")).toEqual([]);
  },
);

test("does not follow a redirect", async () => {
  behave = (_, response) => response.writeHead(307, { Location: "http://127.0.0.1:1/" }).end();
  await expect(ask(source, "select 1")).rejects.toMatchObject({ kind: "source_unreachable" });
});

test.each([
  ["no JSON", "<html>"],
  ["no object", "[1]"],
  ["another protocol", '{"ok": true}'],
  ["nothing", ""],
])("%s is reported as a server that is not Trino", async (_, text) => {
  behave = (_seen, response) => response.writeHead(200, { "Content-Type": "application/json" }).end(text);
  await expect(ask(source, "select 1")).rejects.toMatchObject({
    kind: "source_unreachable",
    details: { reason: "protocol" },
  });
});

test("retries a temporarily busy server", async () => {
  let turn = 0;
  behave = (_, response) => {
    turn += 1;
    if (turn < 3) response.writeHead(503).end();
    else answer(response, { columns: COLUMNS, data: [[1]] });
  };
  expect((await ask(source, "select 1")).rows).toEqual([[1]]);
});

test("reports a server that was restarted during a statement", async () => {
  behave = ({ method }, response) =>
    method === "POST"
      ? answer(response, { nextUri: `HOST${PLACE}/1` })
      : response.writeHead(404).end("Query not found");
  await expect(ask(source, "select 1")).rejects.toMatchObject({
    kind: "source_unreachable",
    message: expect.stringContaining("connection to the database was lost"),
  });
});

test("C6 ends when the server repeats one next page", async () => {
  behave = (_, response) => answer(response, { columns: COLUMNS, data: [[1]], nextUri: `HOST${PLACE}/1` });
  await expect(ask(source, "select 1")).rejects.toMatchObject({
    kind: "source_unreachable",
    message: expect.stringContaining("the same next page"),
  });
});

test("T52 T53 an abort, or a reader that leaves, ends the statement at once", async () => {
  behave = ({ method, path }, response) => {
    if (method === "POST") answer(response, { nextUri: `HOST${PLACE}/1` });
    else if (path.endsWith("/1")) answer(response, { columns: COLUMNS, data: [[1]], nextUri: `HOST${PLACE}/2` });
    // The next response never comes.
  };
  const stop = new AbortController();
  const reason = new Error("nobody waits any more");
  const asked = ask(source, "select 1", { signal: stop.signal });
  await expect.poll(() => requests("GET").length).toBe(2);
  stop.abort(reason);
  await expect(asked).rejects.toBe(reason);
  expect(requests("DELETE").map(({ path }) => path)).toEqual([`${PLACE}/2`]);
  await expect.poll(() => statements().at(-1)).toBe("ROLLBACK");
  seen.length = 0;
  expect((await ask(source, "select 1", { rowsMax: 1 })).rows).toEqual([[1]]);
  await expect.poll(() => requests("DELETE").map(({ path }) => path)).toEqual([`${PLACE}/2`]);
});

test("T53 starts nothing after an abort during the start of the transaction", async () => {
  let held: ServerResponse | null = null;
  begin = ({ method }, response) => {
    if (method === "POST") answer(response, { nextUri: `HOST${PLACE}/1` });
    else held = response;
  };
  const stop = new AbortController();
  const reason = new Error("nobody waits any more");
  const asked = ask(source, "select 1", { signal: stop.signal }).catch((error: unknown) => error);
  await expect.poll(() => held).not.toBeNull();
  stop.abort(reason);
  // The response is on its way while the server gets the cancellation.
  if (held) answer(held, {}, { "X-Trino-Started-Transaction-Id": "tx-2" });
  expect(await asked).toBe(reason);
  expect(statements()).not.toContain("select 1");
  await expect
    .poll(() => requests("POST").at(-1))
    .toMatchObject({
      body: "ROLLBACK",
      headers: { "x-trino-transaction-id": "tx-2" },
    });
});

test("T54 rejects a page that is too large", async () => {
  behave = (_, response) => {
    const row = JSON.stringify("x".repeat(MIB));
    response.writeHead(200).write('{"id": "q", "stats": {}, "data": [[');
    const more = () => {
      if (response.destroyed) return;
      response.write(`${row},`) ? setImmediate(more) : response.once("drain", more);
    };
    more();
  };
  const before = process.memoryUsage().rss;
  await expect(ask(source, "select 1", { cellBytesMax: 4 * MIB })).rejects.toMatchObject({ kind: "query_failed" });
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
});

test("T51 sends values as escaped literals beside the statement", async () => {
  await ask(source, "select ?, ?, ?", { params: ["it's '; drop table a --", 2.5, [1, null, "x"]] });
  const query = requests("POST").find(({ body }) => body.startsWith("EXECUTE"));
  expect(query?.body).toBe("EXECUTE statement USING 'it''s ''; drop table a --', DOUBLE '2.5', ARRAY[1, NULL, 'x']");
  expect(query?.headers["x-trino-prepared-statement"]).toBe(`statement=${encodeURIComponent("select ?, ?, ?")}`);
  const long = `select '${"x".repeat(5000)}' = ?`;
  await ask(source, long, { params: ["y"] });
  expect(statements()).toContain(`EXECUTE IMMEDIATE '${long.replaceAll("'", "''")}' USING 'y'`);
});

test("T47 sends a password only with TLS, and repeats it in no message", async () => {
  const config = { host: "127.0.0.1", port, user: "u", catalog: "c", password: "marker-secret" };
  await expect(openWith(trino, config)).rejects.toMatchObject({
    kind: "invalid_request",
    details: [{ path: "config.ssl" }],
  });
  expect(seen).toEqual([]);
});

test("T43 rejects values that would break out of their header", async () => {
  for (const name of ["catalog", "schema", "user"]) {
    const config = { host: "127.0.0.1", port, user: "u", catalog: "c", [name]: "a\r\nX-Trino-User: admin" };
    await expect(openWith(trino, config)).rejects.toMatchObject({ details: [{ path: `config.${name}` }] });
  }
});

test("reports a rejected sign-in and the server's message", async () => {
  behave = (_, response) => response.writeHead(401).end("Authentication failed: Access Denied");
  await expect(source.test(ANY)).rejects.toMatchObject({
    kind: "source_unreachable",
    message: expect.stringContaining("Authentication failed: Authentication failed"),
  });
  behave = (_, response) => response.writeHead(400, { "Content-Type": "text/plain" }).end("Invalid header");
  await expect(source.test(ANY)).rejects.toMatchObject({ kind: "query_failed", message: "Invalid header" });
});

test("reads newer rows than the checkpoint for a flow, with bound names and values", async () => {
  const reader = source as QueryableSource & Required<Pick<QueryableSource, "extract">>;
  const { batches } = await reader.extract({
    ...{
      entity: { name: 'or"ders' },
      cursorField: "n",
      primaryKey: [],
      from: { value: 41 },
      batchRows: 10,
      signal: ANY,
    },
  });
  const found = [];
  for await (const { columns, checkpoint } of batches) found.push({ columns, checkpoint });
  expect(found).toEqual([{ columns: [[1]], checkpoint: { value: 1 } }]);
  const prepared = seen.map(({ headers }) => decodeURIComponent(String(headers["x-trino-prepared-statement"] ?? "")));
  expect(prepared).toContain(
    'statement=select "n" from "shop"."or""ders" where "n" > cast(? as integer) order by "n" nulls first',
  );
  expect(statements()).toContain("EXECUTE statement USING '41'");
});

test("reports a missing table", async () => {
  const reader = source as QueryableSource & Required<Pick<QueryableSource, "extract">>;
  behave = (_, response) => answer(response, { error: { message: "no", errorCode: 46, errorName: "TABLE_NOT_FOUND" } });
  const request = { entity: { name: "nowhere" }, cursorField: null, primaryKey: [], from: null, batchRows: 10 };
  await expect(reader.extract({ ...request, signal: ANY })).rejects.toMatchObject({ kind: "invalid_request" });
});
