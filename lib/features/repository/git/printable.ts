import { AppError } from "@/lib/platform/http/errors";

/** Names in messages are cut after this many characters. */
const NAMED_CHARS = 200;
/** Characters that a terminal obeys, or that change the order of what it shows. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** Returns the start of a name with its control characters as escapes: git's client prints messages unescaped. */
export function toPrintable(name: string): string {
  return toEscape(name.slice(0, NAMED_CHARS));
}

function toEscape(text: string): string {
  return text.replace(UNPRINTABLE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns a message of several lines with control characters as escapes. */
export function toPrintableLines(message: string): string {
  return message.split("\n").map(toEscape).join("\n");
}

/** Runs a check of a path, and names the path in its error. @throws AppError invalid_request */
export function named<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof AppError
      ? new AppError("invalid_request", `"${toPrintable(path)}": ${error.message}`)
      : error;
  }
}
