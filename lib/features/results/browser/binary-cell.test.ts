import { describe, expect, test } from "vitest";
import { countBytes, toBytes, toHexLines, toPictureType } from "@/lib/features/results/browser/binary-cell";

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");

describe("a binary cell", () => {
  test("is measured without being read", () => {
    for (const count of [0, 1, 2, 3, 4, 100]) expect(countBytes(base64(...new Array(count).fill(7)))).toBe(count);
  });

  test("is read only as far as requested", () => {
    expect([...(toBytes(base64(1, 2, 3, 4, 5), 4) ?? [])]).toEqual([1, 2, 3, 4]);
    expect(toBytes("no base64!")).toBeNull();
  });

  test("is an image if it starts like one", () => {
    expect(toPictureType(base64(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a))).toBe("image/png");
    // A sound in the same container format as a picture.
    expect(toPictureType(Buffer.from("RIFF....WAVE").toString("base64"))).toBeNull();
    expect(toPictureType(Buffer.from("RIFF....WEBP").toString("base64"))).toBe("image/webp");
    // SVG can contain a script.
    expect(toPictureType(Buffer.from("<svg onload=x>").toString("base64"))).toBeNull();
  });

  test("is shown in lines of hex digits and letters", () => {
    expect(toHexLines(Uint8Array.from([...Buffer.from("Millrace\n")]))).toBe(
      "000000  4d 69 6c 6c 72 61 63 65  Millrace\n000008  0a                       .",
    );
  });
});
