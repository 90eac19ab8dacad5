import { createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import type { QueryableSource } from "../../data-source";
import { postgres } from ".";

const message = (code: string, ...parts: (Buffer | string)[]) => {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
  const header = Buffer.alloc(5, code, "latin1");
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
};
const int16 = (value: number) => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
const int32 = (value: number) => Buffer.concat([int16(value >>> 16), int16(value)]);
const lengthOf = (code: string, length: number, rest = "") =>
  Buffer.concat([Buffer.from(code), int32(length), Buffer.from(rest)]);

const READY = message("Z", "I");
const SIGN_IN = Buffer.concat([message("R", int32(0)), message("S", "server_version\0", "15.0\0"), READY]);
const column = (type: number) =>
  message("T", int16(1), "a\0", int32(0), int16(0), int32(type), int16(4), int32(-1), int16(0));
const value = (text: string) => message("D", int16(1), int32(text.length), text);
/** An honest server's response to the first three statements. */
const PREAMBLE = Buffer.concat([message("C", "BEGIN\0"), message("C", "SELECT 1\0"), message("C", "SELECT 1\0")]);

const LIES: [what: string, answer: Buffer][] = [
  ["a row's description of 65,535 columns without one", message("T", int16(65_535))],
  ["a row of 65,535 values without one", message("D", int16(65_535))],
  ["a row whose value is longer than it", Buffer.concat([column(25), message("D", int16(1), int32(1 << 30))])],
  ["a row whose value is of a length below none", Buffer.concat([column(25), message("D", int16(1), int32(-7), "x")])],
  ["a row of more values than columns", Buffer.concat([column(25), message("D", int16(2), int32(-1), int32(-1))])],
  ["a row without a description", value("a")],
  ["a number that is none", Buffer.concat([PREAMBLE, column(20), value("a number"), READY])],
  ["a date that is none", Buffer.concat([PREAMBLE, column(1082), value("\xff\xfe"), READY])],
  ["JSON that is none", Buffer.concat([PREAMBLE, column(3802), value("{{"), READY])],
  ["bytes that are none", Buffer.concat([PREAMBLE, column(17), value("\\x0g"), READY])],
  ["an array that is none", Buffer.concat([PREAMBLE, column(1007), value("{{{1,"), READY])],
  ["an error without an end", message("E", "SERROR\0Mwithout an end")],
  ["an error without anything", message("E")],
  ["a notice without an end", message("N", "SNOTICE")],
  ["a setting without a value", message("S", "server_version")],
  ["a notification without anything", message("A")],
  ["a count that is none", message("C", "SELECT many")],
  ["an end without its state", message("Z")],
  ["a message that nobody knows", message("\x07", "what")],
  ["a request to copy in", message("G", Buffer.from([0]), int16(65_535))],
  ["a request to sign in again", message("R", int32(10), "SCRAM-SHA-256\0\0")],
  ["a request to sign in that nobody knows", message("R", int32(99))],
  ["a suspended portal that nobody has", message("s")],
  ["ends that nobody waits for", Buffer.concat([READY, READY, message("C", "X\0"), message("1"), message("2")])],
  ["a length of 0", lengthOf("T", 0, "\0".repeat(64))],
  ["a length of 3", lengthOf("D", 3, "\0".repeat(64))],
  ["a length of 4 GiB", lengthOf("D", 0xffff_ffff, "\0".repeat(64))],
];

let close: (() => Promise<void>) | null = null;
let source: QueryableSource | null = null;
afterEach(async () => {
  await source?.close();
  await close?.();
});

/**
 * Accepts every sign-in. `tell` is sent immediately, `answer` after the first statement, then the connection is cut.
 */
async function openLiar(tell: Buffer, answer: Buffer, pieces: number): Promise<QueryableSource> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(Buffer.concat([SIGN_IN, tell]));
      socket.once("data", () => void sayInPieces(socket, answer, pieces));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  source = await openWith(postgres, { host: "127.0.0.1", port, user: "u", password: "p", database: "d" });
  return source;
}

async function sayInPieces(socket: Socket, answer: Buffer, pieces: number): Promise<void> {
  const step = Math.max(1, Math.ceil(answer.length / pieces));
  for (let at = 0; at < answer.length; at += step) {
    await new Promise<void>((resolve) => socket.write(answer.subarray(at, at + step), () => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
}

function expectOwnFailure(error: unknown): void {
  expect(error).toBeInstanceOf(AppError);
  expect(["source_unreachable", "query_failed", "timeout"]).toContain((error as AppError).kind);
}

// An error that leaves its connection would be uncaught, which fails the whole run.
test.each(LIES)("a server that sends %s can only fail the query", async (_, answer) => {
  for (const pieces of [1, answer.length]) {
    const liar = await openLiar(Buffer.alloc(0), answer, pieces);
    for (const query of ["select 1", "select a from b"]) {
      // Values that do not match their type are returned unchanged, or fail the query.
      await ask(liar, query, { timeoutMs: 5000 }).catch(expectOwnFailure);
    }
    await liar.close();
    await close?.();
  }
});

test.each(LIES)("a server that sends %s unprompted only loses its connection", async (_, tell) => {
  const liar = await openLiar(tell, Buffer.alloc(0), 1);
  const { signal } = new AbortController();
  for (const work of [() => ask(liar, "select 1"), () => liar.test(signal), () => liar.entities(signal)]) {
    await work().catch(expectOwnFailure);
  }
});

test("T47 a server that names an unknown type and falls silent holds no one past the deadline", async () => {
  const sockets = new Set<Socket>();
  let lines = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    lines += 1;
    const isFirst = lines === 1;
    socket.once("data", () => {
      socket.write(SIGN_IN);
      // The second connection is the one that asks for the type.
      if (isFirst) socket.once("data", () => socket.write(Buffer.concat([PREAMBLE, column(987_654), value("a")])));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  source = await openWith(postgres, { host: "127.0.0.1", port, user: "u", password: "p", database: "d" });
  const asked = ask(source, "select a + 1 from b", { signal: AbortSignal.timeout(500) });
  await expect(asked).rejects.toMatchObject({ name: "TimeoutError" });
  expect(lines).toBeGreaterThanOrEqual(2);
});
