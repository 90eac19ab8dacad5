import { z } from "zod";
import { AppError } from "@/lib/platform/http/errors";
import { boundedText } from "@/lib/platform/http/schema";
import { LABEL_CHARS_MAX, URL_CHARS_MAX } from "../limits";

/** An address that the egress proxy checks too, when it is saved and again at each send. */
export const webAddress = z
  .string()
  .min(1, "Enter the receiver's URL.")
  .max(URL_CHARS_MAX, `At most ${URL_CHARS_MAX} characters.`)
  .describe("A public http or https URL");

// Line breaks would start new lines wherever the label is shown (T83).
export const displayLabel = boundedText(LABEL_CHARS_MAX).regex(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/,
  "Must be one line without control characters.",
);

/**
 * Returns a value that a channel requires.
 * @throws AppError `invalid_request`, naming the request's field
 */
export function required<T>(value: T | undefined, path: string, message: string): T {
  if (value !== undefined) return value;
  throw new AppError("invalid_request", message, { details: [{ path, message }] });
}
