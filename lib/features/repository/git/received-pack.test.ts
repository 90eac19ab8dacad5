// @module-tag heavy
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { entryHead, makeObject, packHead } from "@/lib/features/repository/wire";
import { AppError } from "@/lib/platform/http/errors";
import { middleDelta } from "./delta";
import { ReceivedPack } from "./received-pack";

const MIB = 1024 * 1024;
const signal = new AbortController().signal;

function packOf(count: number, ...entries: Buffer[]): Buffer {
  const body = Buffer.concat([packHead(count), ...entries]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}
const blob = (content: Buffer, says = content.length) => Buffer.concat([entryHead("blob", says), deflateSync(content)]);
/** A delta against an object that starts that many bytes before it (fewer than 128). */
const delta = (back: number, instructions: Buffer) =>
  Buffer.concat([entryHead("ofs-delta", instructions.length), Buffer.of(back), deflateSync(instructions)]);

/** Low limits: unpacking and hashing files at the real ones takes seconds. */
const SMALL = { fileBytes: MIB / 4, unpackedBytes: 5 * MIB };

async function read(bytes: Buffer, limits?: typeof SMALL): Promise<string[]> {
  const found: string[] = [];
  const names = async (oids: ReadonlySet<string>) => new Map([...oids].map((oid) => [oid, oid]));
  await ReceivedPack.read(bytes, signal, ({ oid }) => found.push(oid), names, limits);
  return found;
}

async function refusalOf(bytes: Buffer, limits?: typeof SMALL): Promise<string> {
  try {
    await read(bytes, limits);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return "taken";
}

describe("a pushed pack", () => {
  const text = Buffer.from("select 1 from orders where created_at > now()\n");
  const more = Buffer.concat([text, Buffer.from("limit 5\n")]);
  const idOf = (content: Buffer) => makeObject("blob", content).oid;

  it("returns its objects, whole ones and deltas", async () => {
    const first = blob(text);
    expect(await read(packOf(2, first, delta(first.length, middleDelta(text, more))))).toEqual([
      idOf(text),
      idOf(more),
    ]);
    expect(await read(Buffer.alloc(0))).toEqual([]);
    expect(await read(packOf(0))).toEqual([]);
  });

  it("may have 50 deltas in a chain, and not 51", async () => {
    const chain = (length: number) => {
      const entries = [blob(text)];
      let content = text;
      for (let n = 0; n < length; n++) {
        const next = Buffer.concat([content, Buffer.of(97 + (n % 26))]);
        entries.push(delta(entries.at(-1)?.length ?? 0, middleDelta(content, next)));
        content = next;
      }
      return packOf(length + 1, ...entries);
    };
    expect(await read(chain(50))).toHaveLength(51);
    expect(await refusalOf(chain(51))).toContain("a delta chain exceeds 50");
  });

  it("is rejected before unpacking too much (T90)", async () => {
    const zeros = Buffer.alloc(MIB / 4);
    const many = packOf(21, ...Array.from({ length: 21 }, () => blob(zeros)));
    expect(await refusalOf(many, SMALL)).toContain("limited to 5 MiB unpacked");
    expect(await refusalOf(packOf(1, blob(text, 501 * MIB)))).toContain("limited to 500 MiB");
    // A stream much longer than its header says.
    expect(await refusalOf(packOf(1, blob(zeros, 10)))).toContain("can't be unpacked");
    // A delta of a few bytes that expands to 10 GB: base of 46 bytes, result of 10 * 2^30.
    const bomb = Buffer.from([text.length, 0x80, 0x80, 0x80, 0x80, 0x28, 0x90, text.length]);
    const first = blob(text);
    expect(await refusalOf(packOf(2, first, delta(first.length, bomb)))).toContain("larger than 25 MiB");
    expect(await refusalOf(packOf(200_001))).toContain("limited to 200000 objects");
  });

  it("may have files of 25 MiB, and not more", async () => {
    const zeros = Buffer.alloc(25 * MIB + 1);
    expect(await read(packOf(1, blob(zeros.subarray(1))))).toHaveLength(1);
    expect(await refusalOf(packOf(1, blob(zeros)))).toContain(
      "(25.1 MiB) is larger than 25 MiB. Keep large files out of git, in all commits of the push.",
    );
  });

  it("is rejected with the name and the size of each file over the limit, by deltas too", async () => {
    const [small, large, huge] = [0.25, 0.3, 0.6].map((size) => Buffer.alloc(size * MIB)) as [Buffer, Buffer, Buffer];
    const name = (content: Buffer, size: string) => `${idOf(content)} (${size} MiB)`;
    const rest = "larger than 0.25 MiB. Keep large files out of git, in all commits of the push.";
    expect(await read(packOf(1, blob(small)), SMALL)).toEqual([idOf(small)]);
    const first = blob(large);
    const longer = Buffer.concat([large, Buffer.alloc(MIB / 10)]);
    expect(await refusalOf(packOf(1, first), SMALL)).toBe(`${name(large, "0.3")} is ${rest}`);
    // The result of a delta, of one on a large base, and a file that is only hashed, with a delta on it.
    const onSmall = middleDelta(text, Buffer.concat([text, large]));
    const entries = [huge, large].map((content) => blob(content));
    const byId = (base: Buffer, instructions: Buffer) => {
      const head = entryHead("ofs-delta", instructions.length);
      // A base by its id has the type 7 in place of 6.
      head[0] = (head[0] ?? 0) | 0x10;
      return Buffer.concat([head, Buffer.from(idOf(base), "hex"), deflateSync(instructions)]);
    };
    const chain = [...entries, byId(large, middleDelta(large, longer)), byId(huge, middleDelta(huge, small))];
    const message = await refusalOf(packOf(4, ...chain), SMALL);
    for (const each of [name(huge, "0.6"), name(large, "0.3"), name(longer, "0.4")]) expect(message).toContain(each);
    expect(message).toContain(` are ${rest}`);
    const base = blob(text);
    expect(await refusalOf(packOf(2, base, byId(text, onSmall)), SMALL)).toBe(
      `${name(Buffer.concat([text, large]), "0.4")} is ${rest}`,
    );
    // A hashed stream that is longer or shorter than its head says.
    expect(await refusalOf(packOf(1, blob(huge, huge.length + 1)), SMALL)).toContain("malformed");
    expect(await refusalOf(packOf(1, blob(huge, huge.length - 1)), SMALL)).toContain("malformed");
    const many = Array.from({ length: 11 }, (_, n) =>
      byId(large, middleDelta(large, Buffer.concat([large, Buffer.of(n)]))),
    );
    expect(await refusalOf(packOf(12, first, ...many), SMALL)).toContain(" and 2 more are larger");
  });

  it("is rejected if truncated, changed or inconsistent", async () => {
    const good = packOf(1, blob(text));
    for (let length = 1; length < good.length; length++) {
      expect(await refusalOf(good.subarray(0, length))).toContain("malformed");
    }
    const changed = Buffer.from(good);
    changed[20] = (changed[20] ?? 0) ^ 1;
    const first = blob(text);
    const bad = [
      changed,
      packOf(2, first),
      packOf(0, first),
      packOf(1, blob(text, text.length + 1)),
      packOf(1, Buffer.concat([entryHead("tag", text.length), deflateSync(text)])),
      packOf(2, first, delta(first.length - 1, middleDelta(text, more))),
      packOf(2, first, delta(first.length, middleDelta(more, text))),
    ];
    for (const bytes of bad) expect(await refusalOf(bytes)).toContain("malformed");
  });
});
