import "server-only";
import { READ_ONLY_MESSAGE } from "@/lib/base/sql/statement-messages";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import { signInFailed, stoppedAtLimit } from "../shared/failures";
import { positionOf } from "../shared/text-position";

// Error codes of the server (its file ErrorCodes.cpp).
const READ_ONLY = 164;
const TIMEOUTS = new Set([159, 209]);
const CANCELLED = new Set([394, 236]);
const SIGN_IN = new Set([192, 193, 194, 516]);

/**
 * Converts the server's error text: `Code: 62. DB::Exception: Syntax error: failed at position 8 ('frm'): ...
 * (SYNTAX_ERROR)`.
 * @param query the text that positions refer to
 */
export function toServerFailure(text: string, query: string, secrets: readonly string[]): AppError {
  const code = Number(/Code: (\d+)/.exec(text)?.[1] ?? 0);
  const words = text
    .replace(/^[\s\S]*?Code: \d+\.\s*(?:DB::Exception:\s*)?/, "")
    .replace(/\s*\(version [^)]*\)\s*$/, "")
    .trim();
  const message = redact(words, secrets);
  if (code === READ_ONLY) return new AppError("read_only", READ_ONLY_MESSAGE, { cause: new Error(message) });
  if (TIMEOUTS.has(code)) return stoppedAtLimit();
  if (CANCELLED.has(code)) return new AppError("cancelled", "The query was cancelled by the database.");
  if (SIGN_IN.has(code)) return signInFailed(words, secrets);
  const position = /failed at position (\d+)/.exec(words)?.[1];
  return new AppError("query_failed", message, {
    // The server counts bytes.
    details: { code, ...(position !== undefined && positionOf(query, charOffset(query, Number(position) - 1))) },
  });
}

function charOffset(query: string, byteOffset: number): number {
  return Buffer.from(query, "utf8").subarray(0, byteOffset).toString("utf8").length;
}
