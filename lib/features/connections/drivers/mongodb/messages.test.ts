import { expect, test } from "vitest";
import { Messages } from "./messages";

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
/** @param length the length in the header; null for the real one */
const message = (kind: number, body: Buffer, length: number | null = null) =>
  Buffer.concat([int32(length ?? body.length + 16), int32(1), int32(2), int32(kind), body]);
const DOCUMENT = Buffer.concat([int32(5), Buffer.alloc(1)]);
const section = (document: Buffer, kind = 0) => Buffer.concat([Buffer.from([kind]), document]);
const answer = (...sections: Buffer[]) => message(2013, Buffer.concat([int32(0), ...sections]));
const reply = (count: number, ...documents: Buffer[]) =>
  message(1, Buffer.concat([int32(0), int32(0), int32(0), int32(0), int32(count), ...documents]));
const ofLength = (length: number) => Buffer.concat([int32(length), Buffer.alloc(60)]);

const GOOD = [
  answer(section(DOCUMENT)),
  reply(1, DOCUMENT),
  reply(0),
  answer(section(DOCUMENT), section(DOCUMENT)),
  message(2013, Buffer.concat([int32(1), section(DOCUMENT), int32(7)])),
];

test.for([1, 2, 3, 4, 5, 15, 16, 17, 1000])("assembles messages from pieces of any size: of %i bytes", (size) => {
  const stream = Buffer.concat(GOOD);
  const messages = new Messages();
  const taken: Buffer[] = [];
  for (let at = 0; at < stream.length; at += size) taken.push(messages.push(stream.subarray(at, at + size)));
  expect(Buffer.concat(taken)).toEqual(stream);
  const starts = new Set<number>();
  for (let at = 0, next = 0; next < GOOD.length; at += (GOOD[next] as Buffer).length, next += 1) starts.add(at);
  let at = 0;
  for (const each of taken.filter(({ length }) => length > 0)) {
    expect(starts).toContain(at);
    at += each.length;
  }
});

test.for<[string, Buffer]>([
  ...[0, 1, 15, -1, -2_147_483_648, 2_147_483_647].map((length): [string, Buffer] => [
    `a message of ${length} bytes`,
    message(2013, Buffer.alloc(64), length),
  ]),
  ...[0, 4, -1, -5, 66, 2_147_483_647].map((length): [string, Buffer] => [
    `a document of ${length} bytes`,
    answer(section(ofLength(length))),
  ]),
  ["a document without a length", answer(Buffer.from([0, 5]))],
  ["a section of documents", answer(section(DOCUMENT, 1))],
  ["a section of no kind", answer(section(DOCUMENT, 7))],
  ["a message without flags", message(2013, Buffer.alloc(2))],
  ["a compressed message", message(2012, Buffer.alloc(9))],
  ["a reply of two thousand million documents", reply(2_000_000_000, DOCUMENT)],
  ["a reply of a negative number of documents", reply(-1, DOCUMENT)],
  ["a reply of more documents than it has", reply(2, DOCUMENT)],
  ["a reply that is too short", message(1, Buffer.alloc(19))],
])("T47 rejects %s at any point of the protocol", ([, bad]) => {
  const stream = Buffer.concat([GOOD[0] as Buffer, bad, GOOD[1] as Buffer]);
  for (const size of [1, 7, stream.length]) {
    const messages = new Messages();
    expect(() => {
      for (let at = 0; at < stream.length; at += size) messages.push(stream.subarray(at, at + size));
    }).toThrow();
  }
});
