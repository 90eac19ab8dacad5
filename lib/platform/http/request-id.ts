import { randomUUID } from "node:crypto";

export const REQUEST_ID_HEADER = "X-Request-Id";
/** Letters, digits and the signs that common formats of ids use; longer values would fill the log. */
const SANE = /^[A-Za-z0-9._:=+/@-]{1,128}$/;

/** Returns the id that a proxy or client gave the request, or a new one where it sent none or an odd one. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID_HEADER);
  return given !== null && SANE.test(given) ? given : randomUUID();
}
