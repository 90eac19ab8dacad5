import { expect, test } from "vitest";
import { fastestMs } from "../../../../test/processor-time.ts";
import { detectDialect } from "./detect.ts";

test("finds apostrophes as quotes", () => {
  expect(detectDialect(Buffer.from("a,b\n'x,y',1\n'z,w',2\n"), {}).quote).toBe("'");
  expect(detectDialect(Buffer.from("a,b\nit's,1\nx,2\n"), {}).quote).toBe('"');
});

test("looks for them once in a long line", () => {
  const head = Buffer.from(",'a".repeat(80_000));
  expect(fastestMs(1000, () => detectDialect(head, {}))).toBeLessThan(1000);
});
