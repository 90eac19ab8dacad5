import { parseLimitedJson, parseStrictJson } from "@/lib/platform/http/body";
import { decodeText, Undecodable } from "@/lib/platform/http/charset";
import { AppError } from "@/lib/platform/http/errors";

/** An event to store: its JSON text without a byte order mark, and its value. */
export type EventBody = { json: string; value: unknown };

/**
 * Reads the body of a webhook as it arrives. Numbers keep every digit.
 * @throws AppError `invalid_request`, `unsupported_media_type` for an unknown charset
 */
export function readEventBody(bytes: Uint8Array, contentType: string | null): EventBody {
  let text: string;
  try {
    text = decodeText(bytes, contentType);
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    const kind = /not supported/.test(error.message) ? "unsupported_media_type" : "invalid_request";
    throw new AppError(kind, `Couldn't decode the body: ${error.message}`, { cause: error });
  }
  const json = trimmed(text);
  try {
    return { json, value: parseStrictJson(json) };
  } catch (error) {
    throw hintOf(json, contentType) ?? error;
  }
}

/**
 * Returns the JSON text to write of a stored event. Earlier versions accepted an object that has a key twice; its last
 * value counts, whichever the destination would take.
 * @throws AppError `invalid_request`
 */
export function readStoredEvent(payload: string): string {
  const json = trimmed(payload);
  const { value, hasRepeatedKey } = parseLimitedJson(json);
  return hasRepeatedKey ? JSON.stringify(value) : json;
}

/** @throws AppError `invalid_request` for a text without content */
function trimmed(text: string): string {
  const json = text.replace(/^\uFEFF/, "").trim();
  if (json === "") throw new AppError("invalid_request", "The body is empty. Send one JSON value.");
  return json;
}

/** Tells senders of other formats what to change; null for JSON that is invalid. */
function hintOf(text: string, contentType: string | null): AppError | null {
  if (/^application\/x-www-form-urlencoded|^multipart\/form-data/i.test(contentType ?? "")) {
    return new AppError("invalid_request", "The body is a form. Send JSON.");
  }
  const lines = text.split(/\r?\n/, 3).filter((line) => line.trim() !== "");
  if (lines.length > 1 && lines.every(isJson)) {
    return new AppError("invalid_request", "The body contains several JSON values. Send one event per request.");
  }
  return null;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
