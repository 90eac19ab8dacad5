import { expect, it } from "vitest";
import { snappy } from "./snappy";

/** Decompresses as the format's description says. */
function uncompressed(bytes: Uint8Array): Uint8Array {
  let at = 0;
  let size = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] as number;
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  const out: number[] = [];
  while (at < bytes.length) {
    const tag = bytes[at++] as number;
    if ((tag & 3) === 0) {
      let length = tag >> 2;
      const extra = length < 60 ? 0 : length - 59;
      if (extra > 0) length = 0;
      for (let index = 0; index < extra; index += 1) length += (bytes[at++] as number) << (8 * index);
      for (let index = 0; index <= length; index += 1) out.push(bytes[at++] as number);
    } else {
      const offset = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
      at += 2;
      for (let index = 0; index <= tag >> 2; index += 1) out.push(out[out.length - offset] as number);
    }
  }
  if (out.length !== size) throw new Error("Wrong size.");
  return Uint8Array.from(out);
}

const random = (length: number, values: number) => {
  let seed = length + 1;
  return Uint8Array.from({ length }, () => {
    seed = (seed * 16807) % 2147483647;
    return seed % values;
  });
};

it.each([0, 1, 15, 16, 17, 60, 61, 256, 257, 65_535, 65_536, 65_537, 200_000])(
  "compresses %i bytes without loss",
  (length) => {
    for (const values of [1, 2, 4, 256]) {
      const input = random(length, values);
      expect(Buffer.from(uncompressed(snappy(input))).equals(Buffer.from(input))).toBe(true);
    }
  },
);

it("shortens texts that repeat", () => {
  const input = Buffer.from("name of a row, ".repeat(10_000));
  expect(snappy(input).length).toBeLessThan(input.length / 10);
});
