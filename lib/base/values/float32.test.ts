import { expect, test } from "vitest";
import { shortestFloat32 } from "./float32";

/** PostgreSQL's texts of these values of real. */
const CASES = [
  "0", "-0", "1", "-1.5", "0.1", "0.3", "3.14159", "3.1415927", "123456.79", "16777216", "16777218", "123456790", "1e+10",
  "3.4028235e+38", "1.1754944e-38", "1.1754942e-38", "1e-45", "9.999999e+09", "4194304.5", "0.33333334", "99999.99",
]; // biome-ignore format: one look
test.each(CASES)("C12 writes the 32-bit float %s with the fewest digits", (text) => {
  expect(shortestFloat32(Math.fround(Number(text)))).toBe(Number(text));
});

test("C12 reads every written float back as the stored one", () => {
  const view = new DataView(new ArrayBuffer(4));
  let bits = 12345;
  for (let count = 0; count < 20_000; count += 1) {
    bits = (Math.imul(bits, 1664525) + 1013904223) >>> 0;
    view.setUint32(0, bits);
    const value = view.getFloat32(0);
    if (Number.isFinite(value)) expect(Math.fround(shortestFloat32(value))).toBe(value);
  }
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("C12 keeps %s", (value) => {
  expect(shortestFloat32(value)).toBe(value);
});
