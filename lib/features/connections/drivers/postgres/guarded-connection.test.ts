// @module-tag heavy
import { expect, it } from "vitest";
import { MessageGuard } from "./guarded-connection";
import { RowCollector } from "./row-collector";

const LENGTH_BYTES = 4;

function message(code: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(1 + LENGTH_BYTES);
  head.write(code);
  head.writeInt32BE(bytes.length + LENGTH_BYTES, 1);
  return Buffer.concat([head, bytes]);
}

function row(text: string): Buffer {
  const head = Buffer.from("\0\u0001\0\0\0\0", "latin1");
  head.writeInt32BE(text.length, 2);
  return message("D", Buffer.concat([head, Buffer.from(text)]));
}

const STREAM = Buffer.concat([
  message("1", ""),
  row("one"),
  row(""),
  row("three".repeat(20)),
  message("s", ""),
  row("four"),
  message("C", "SELECT 4\0"),
  message("Z", "I"),
]);
const decode = (text: string) => text;

/** Passes a stream in pieces. @returns rows by their texts, and the codes of all other messages */
function pass(pieces: readonly Buffer[], isTaken: boolean) {
  const collector = new RowCollector([{ form: "text", decode }]);
  const others: Buffer[] = [];
  const guard = new MessageGuard(
    (bytes) => others.push(bytes),
    () => (isTaken ? collector : null),
  );
  for (const piece of pieces) guard.push(piece);
  return { rows: collector.take().columns[0], others: Buffer.concat(others) };
}

const OTHERS = Buffer.concat([message("1", ""), message("s", ""), message("C", "SELECT 4\0"), message("Z", "I")]);
const ROWS = ["one", "", "three".repeat(20), "four"];

it("gives whole rows to the sink and all else to the library, wherever the stream is cut", () => {
  for (let first = 0; first <= STREAM.length; first += 1) {
    for (const second of [first, first + 1, first + 3, first + 6, first + 40]) {
      const pieces = [STREAM.subarray(0, first), STREAM.subarray(first, second), STREAM.subarray(second)];
      const { rows, others } = pass(pieces, true);
      expect(rows).toEqual(ROWS);
      expect(others.equals(OTHERS)).toBe(true);
    }
  }
});

it("gives the rows of one byte at a time to the sink", () => {
  const bytes = Array.from(STREAM, (byte) => Buffer.from([byte]));
  expect(pass(bytes, true)).toEqual({ rows: ROWS, others: OTHERS });
});

it("gives rows to the library where no sink takes them", () => {
  expect(pass([STREAM], false)).toEqual({ rows: [], others: STREAM });
});

it("keeps the start of a row for the next batch", () => {
  const collector = new RowCollector([{ form: "text", decode }]);
  const guard = new MessageGuard(
    () => undefined,
    () => collector,
  );
  const rows = Buffer.concat([row("one"), row("two")]);
  guard.push(rows.subarray(0, rows.length - 2));
  expect(collector.take().columns).toEqual([["one"]]);
  guard.push(rows.subarray(rows.length - 2));
  expect(collector.take().columns).toEqual([["two"]]);
});

it("decodes a batch with a row that takes long to parse", () => {
  const collector = new RowCollector([{ form: "text", decode }]);
  const guard = new MessageGuard(
    () => undefined,
    () => collector,
  );
  guard.push(row("x".repeat(300_000)));
  expect(collector.take().raw).toBeUndefined();
  guard.push(row("x"));
  expect(collector.take().raw).toBeDefined();
});
