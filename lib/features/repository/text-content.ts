import { isUtf8 } from "node:buffer";

/** Git looks this far for a zero byte before it takes content for text. */
const TEXT_PROBE_BYTES = 8_000;

/** An absent file counts as text. */
export function isText(content: Buffer | null): boolean {
  return content === null || (isUtf8(content) && !content.subarray(0, TEXT_PROBE_BYTES).includes(0));
}
