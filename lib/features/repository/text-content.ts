import { isUtf8 } from "node:buffer";

/** Number of bytes in which git looks for a zero byte to detect binary content. */
const TEXT_PROBE_BYTES = 8_000;

/** An absent file counts as text. */
export function isText(content: Buffer | null): boolean {
  return content === null || (isUtf8(content) && !content.subarray(0, TEXT_PROBE_BYTES).includes(0));
}
