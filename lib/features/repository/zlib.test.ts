import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { deflated, inflated } from "./zlib";

it.each([0, 1, 63, 64 * 1024, 64 * 1024 + 1, 1024 * 1024])("packs and unpacks %i bytes", async (size) => {
  const content = randomBytes(size);
  expect((await inflated(await deflated(content), size)).equals(content)).toBe(true);
});

it("keeps no memory beside that of a small stream, of which lists have thousands", async () => {
  const streams = await Promise.all(Array.from({ length: 100 }, (_, n) => deflated(Buffer.from(`delta ${n}`))));
  for (const { buffer, length } of streams) expect(buffer.byteLength).toBe(length);
});

it("unpacks no more than the expected size", async () => {
  for (const size of [10, 100_000]) {
    await expect(inflated(deflateSync(Buffer.alloc(size + 1)), size)).rejects.toThrow(/larger than/);
  }
});
