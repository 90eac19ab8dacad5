import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { type PackEntry, packIndex } from "./pack";

it("writes a pack index beyond two and four gigabytes that git can read", () => {
  const offsets = [12, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5, 2 ** 40];
  const entries = offsets.map((offset, n): PackEntry => ({ oid: `${n}f`.repeat(20), crc: 2 ** 32 - 1 - n, offset }));
  const printed = execFileSync("git", ["show-index"], { input: packIndex(Buffer.alloc(20), entries.toReversed()) });
  expect(printed.toString().trimEnd().split("\n")).toEqual(
    entries.map(({ oid, crc, offset }) => `${offset} ${oid} (${crc.toString(16).padStart(8, "0")})`),
  );
});
