import type { ErrorKind } from "@/lib/platform/http/errors";

const PATH_REFUSAL =
  "A path that git reserves, that leaves the app, that has control characters, or that has a name over 200 bytes or ending in a dot";
export const FILE_REFUSALS = { path: PATH_REFUSAL };
/** A binary body cannot be malformed; a JSON one can. */
export const WRITE_REFUSALS = {
  ...FILE_REFUSALS,
  content: "Invalid base64, or an invalid Unicode character",
};
export const WRITE_FAILURES = ["conflict", "storage_full", "unsupported_media_type"] as const satisfies ErrorKind[];
export const PUBLISH_REFUSALS = { resolutions: PATH_REFUSAL };
export const PUBLISH_FAILURES = [
  "not_found",
  "conflict",
  "already_running",
  "build_failed",
  "sandbox_unavailable",
  "storage_full",
  "too_large",
  "unavailable",
  "unsupported_media_type",
] as const satisfies ErrorKind[];
/** Errors as text: they are shown in a frame. */
const TOLD = { "text/plain": null };
/** Responses below an app's address: bytes of the file's type, and errors as text. */
export const VIEW_ANSWERS = {
  200: { "text/html": null, "application/octet-stream": null },
  206: { "application/octet-stream": null },
  304: {},
  401: TOLD,
  403: TOLD,
  404: TOLD,
  416: {},
};
export const PREVIEW_FAILURES = ["conflict", "sandbox_unavailable", "unavailable"] as const satisfies ErrorKind[];
/** Responses below a preview's address: the dev server's output, and its event stream. */
export const PREVIEW_ANSWERS = {
  200: { "text/html": null, "application/octet-stream": null, "text/event-stream": null },
  304: {},
  403: TOLD,
  404: TOLD,
  503: TOLD,
};
export const PREVIEW_HEARS = { 204: {}, 403: TOLD, 404: TOLD, 405: TOLD, 503: TOLD };
