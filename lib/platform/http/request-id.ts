import { randomUUID } from "node:crypto";

export const REQUEST_ID_HEADER = "X-Request-Id";
/** Letters, digits and the signs of common id formats; longer values would fill the log. */
const SANE = /^[A-Za-z0-9._:=+/@-]{1,128}$/;

/** Returns the request id of a proxy or client, or a new one if it is missing or invalid. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get(REQUEST_ID_HEADER);
  return given !== null && SANE.test(given) ? given : randomUUID();
}
