/* Binary values arrive as base64 (docs/develop/api.md, Queries). */

/** Signatures of image formats that browsers draw without running code. */
const PICTURES: readonly [string, number[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46]],
];
const SIGN_BYTES = 12;
const LINE_BYTES = 8;

/** Decodes at most `bytesMax` bytes of a value; null for invalid base64. */
export function toBytes(base64: string, bytesMax = Number.POSITIVE_INFINITY): Uint8Array | null {
  try {
    // Four characters encode three bytes.
    const letters = Math.min(base64.length, Math.ceil(bytesMax / 3) * 4);
    const text = atob(base64.slice(0, letters));
    return Uint8Array.from(text.slice(0, bytesMax), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Returns the number of bytes of a value. */
export function countBytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor(base64.length / 4) * 3 - padding);
}

/** Returns the media type of an image; null for other values. */
export function toPictureType(base64: string): string | null {
  const bytes = toBytes(base64, SIGN_BYTES);
  if (bytes === null) return null;
  const found = PICTURES.find(([, sign]) => sign.every((byte, i) => bytes[i] === byte));
  // RIFF also contains other formats.
  if (found?.[0] === "image/webp" && String.fromCharCode(...bytes.slice(8, 12)) !== "WEBP") return null;
  return found?.[0] ?? null;
}

/** Formats bytes as a hex dump: offset, digits and ASCII characters. */
export function toHexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = bytes.subarray(at, at + LINE_BYTES);
    const digits = Array.from(line, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = Array.from(line, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join(
      "",
    );
    lines.push(`${at.toString(16).padStart(6, "0")}  ${digits.padEnd(LINE_BYTES * 3 - 1)}  ${letters}`);
  }
  return lines.join("\n");
}
