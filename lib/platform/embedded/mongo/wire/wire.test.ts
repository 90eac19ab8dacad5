import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeDocument } from "../bson/codec.ts";
import { docOf, RawDocument } from "../bson/values.ts";
import { MessageSplitter, parseMessage } from "./wire.ts";

function message(flags: number, ...sections: Buffer[]): Buffer {
  const body = Buffer.concat(sections);
  const head = Buffer.alloc(20);
  head.writeInt32LE(20 + body.length, 0);
  head.writeInt32LE(7, 4);
  head.writeInt32LE(2013, 12);
  head.writeUInt32LE(flags, 16);
  return Buffer.concat([head, body]);
}

const ping = Buffer.concat([Buffer.from([0]), encodeDocument(docOf({ ping: 1, $db: "t" }))]);

describe("messages", () => {
  test("are assembled however the stream is split", () => {
    const whole = Buffer.concat([message(0, ping), message(2, ping), message(0, ping)]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 }), (sizes) => {
        const splitter = new MessageSplitter();
        const found: Buffer[] = [];
        let at = 0;
        for (const size of [...sizes, whole.length]) {
          found.push(...splitter.push(whole.subarray(at, at + size)));
          at += size;
        }
        expect(found.map((each) => parseMessage(each).wantsAnswer)).toEqual([true, false, true]);
      }),
    );
  });

  test("contain document sequences as raw documents, and a checksum that is not a section", () => {
    const one = encodeDocument(docOf({ _id: 1 }));
    const head = Buffer.alloc(4);
    const name = Buffer.from("documents\0");
    head.writeInt32LE(4 + name.length + one.length * 2, 0);
    const sequence = Buffer.concat([Buffer.from([1]), head, name, one, one]);
    const command = Buffer.concat([Buffer.from([0]), encodeDocument(docOf({ insert: "c", $db: "t" }))]);
    const { body, id } = parseMessage(message(1, command, sequence, Buffer.alloc(4)));
    expect(id).toBe(7);
    const documents = body.get("documents");
    expect(
      Array.isArray(documents) && documents.map((each) => each instanceof RawDocument && each.bytes.equals(one)),
    ).toEqual([true, true]);
  });

  test("with an impossible length, an unknown kind or unknown flags are rejected", () => {
    const tooLong = Buffer.alloc(16);
    tooLong.writeInt32LE(2 ** 31 - 1, 0);
    expect(() => new MessageSplitter().push(tooLong)).toThrow("not possible");
    const unknown = message(0, ping);
    unknown.writeInt32LE(2012, 12);
    expect(() => parseMessage(unknown)).toThrow("not supported");
    expect(() => parseMessage(message(4, ping))).toThrow("flags");
    expect(() => parseMessage(message(0, Buffer.from([9, 5, 0, 0, 0])))).toThrow();
  });

  test("with damage anywhere throw, and never hang or read beyond their end", () => {
    const good = message(0, ping);
    fc.assert(
      fc.property(fc.integer({ min: 16, max: good.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const damaged = Buffer.from(good);
        damaged[at] = byte;
        try {
          parseMessage(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
