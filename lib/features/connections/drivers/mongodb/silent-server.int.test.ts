import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BSON, type Document, Long } from "mongodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import { mongodb } from ".";

/* A server with scripted responses: it may fall silent, or refuse a command. */

const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Offset of the document: after the header, the flags and the section kind. */
const DOCUMENT_AT = HEADER_BYTES + 5;
const HELLO = { isWritablePrimary: true, maxWireVersion: 25, minWireVersion: 0, logicalSessionTimeoutMinutes: 30 };

/** The response to a command: null for silence, bytes to send unchanged. */
let greeting: Document;
let answer: (command: Document) => Document | Buffer | null;
const seen: string[] = [];
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  let held = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= HEADER_BYTES && held.length >= held.readInt32LE(0)) {
      const message = held.subarray(0, held.readInt32LE(0));
      held = held.subarray(message.length);
      // The first greeting has the older format: its document follows the collection's name and two numbers.
      const isOld = message.readInt32LE(12) !== OP_MSG;
      const at = isOld ? message.indexOf(0, HEADER_BYTES + 4) + 1 + 8 : DOCUMENT_AT;
      const command = BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)));
      seen.push(Object.keys(command)[0] ?? "");
      const said = "hello" in command || "ismaster" in command ? greeting : answer(command);
      if (said !== null) socket.write(isOld ? reply(message, said) : toMessage(message, said));
    }
  });
});

const header = (length: number, to: Buffer, kind: number) => {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeInt32LE(HEADER_BYTES + length, 0);
  bytes.writeInt32LE(to.readInt32LE(4), 8);
  bytes.writeInt32LE(kind, 12);
  return bytes;
};
function toMessage(to: Buffer, document: Document | Buffer): Buffer {
  const bytes = Buffer.isBuffer(document) ? document : BSON.serialize({ ...document, ok: 1 });
  const body = Buffer.concat([Buffer.alloc(5), bytes]);
  return Buffer.concat([header(body.length, to, OP_MSG), body]);
}
function reply(to: Buffer, document: Document): Buffer {
  const body = Buffer.concat([Buffer.alloc(20), BSON.serialize({ ...document, ok: 1 })]);
  body.writeInt32LE(1, 16);
  return Buffer.concat([header(body.length, to, 1), body]);
}

let port = 0;
beforeEach(async () => {
  seen.length = 0;
  greeting = HELLO;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test("T47 closes the connection of a server that does not answer the end of a cursor", async () => {
  const cursor = { id: Long.fromNumber(7), ns: "shop.$cmd.listCollections", firstBatch: [{ name: "things" }] };
  answer = (command) => ("listCollections" in command ? { cursor } : "killCursors" in command ? null : {});
  const source = await openWith(mongodb, { connectionString: `mongodb://127.0.0.1:${port}/`, database: "shop" });
  await source.test(new AbortController().signal);
  await source.close();
  expect(seen).toContain("killCursors");
});

test("T47 closes the connection's sockets despite an unreadable cursor", async () => {
  const id = Long.fromNumber(7);
  const said = Buffer.from(BSON.serialize({ cursor: { id, ns: "shop.things", firstBatch: [{ a: 1 }] }, ok: 1 }));
  // The list of documents ends where its first document starts.
  said[said.indexOf(Buffer.from([0x03, 0x30, 0x00]))] = 0;
  answer = (command) => ("find" in command || "aggregate" in command ? said : {});
  const source = await openWith(mongodb, { connectionString: `mongodb://127.0.0.1:${port}/`, database: "shop" });
  for (const operation of ["db.things.find({})", "db.things.countDocuments({})", "db.things.aggregate([])"]) {
    await ask(source, operation, { signal: AbortSignal.timeout(500) }).catch(() => {});
  }
  await source.close();
  await expect.poll(() => sockets.size, { timeout: 20_000 }).toBe(0);
});

test("T47 drops a connection that falls silent during sign-in", { tags: ["long"] }, async () => {
  answer = () => null;
  const connectionString = `mongodb://reader:secret@127.0.0.1:${port}/?authMechanism=SCRAM-SHA-256`;
  const source = await openWith(mongodb, { connectionString, database: "shop" });
  await expect(ask(source, "db.things.find({})", { signal: AbortSignal.timeout(500) })).rejects.toBeDefined();
  expect(seen).toContain("saslStart");
  await source.close();
  await expect.poll(() => sockets.size, { timeout: 20_000 }).toBe(0);
});

const refused = (command: string) => {
  const errmsg = `not authorized on shop to execute command { ${command}: "things" }`;
  return Buffer.from(BSON.serialize({ ok: 0, code: 13, codeName: "Unauthorized", errmsg }));
};

test.each([
  ["a transaction", { setName: "rs" }, 0],
  ["a server without transactions", {}, 1],
])("names the change that a user of limited rights can't make, in %s", async (_, more, written) => {
  greeting = { ...HELLO, ...more };
  const documents = [1, 2].map((id) => ({ _id: id, name: "old" }));
  let found = 0;
  answer = (command) => {
    if ("find" in command)
      return { cursor: { id: Long.fromNumber(0), ns: "shop.things", firstBatch: [documents[found++ % 2]] } };
    if ("delete" in command) return refused("delete");
    return "update" in command ? { n: 1, nModified: 1 } : {};
  };
  const connectionString = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const source = await openWith(mongodb, { connectionString, database: "shop" });
  const limits = { signal: new AbortController().signal, timeoutMs: 10_000 };
  const change = { old: { name: "old" }, set: {}, defaults: [] };
  const changes = [
    { ...change, op: "update" as const, key: { _id: "1" }, set: { name: "new" } },
    { ...change, op: "delete" as const, key: { _id: "2" } },
  ];
  const plan = await source.planRowChanges?.({ kind: "collection", name: "things" }, changes, limits);
  const end = await plan?.run(limits);
  expect(end).toMatchObject({ conflicts: [], written, failure: { change: 1, isUnknown: false } });
  expect(end?.failure?.error).toMatchObject({
    kind: "query_failed",
    message: expect.stringContaining("not authorized on shop"),
    details: { code: 13, hint: "Grant this user the required privilege." },
  });
  expect(seen.includes("abortTransaction")).toBe(written === 0);
  expect(seen).not.toContain("commitTransaction");
  answer = () => refused("find");
  const planned = source.planRowChanges?.({ kind: "collection", name: "things" }, changes, limits);
  await expect(planned).rejects.toMatchObject({ kind: "query_failed", details: { code: 13 } });
  answer = () => ({});
  await source.close();
});
