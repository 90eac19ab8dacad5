import { send } from "@/lib/platform/browser/request";

/** Maximum length of an address that every known proxy passes; nginx allows 8 KiB by default. */
const ADDRESS_CHARS_MAX = 4_000;

/** A query with filters: in the address, or in a body if the address would be too long. */
export type FilteredRequest = { url: string; method: "GET" } | { url: string; method: "POST"; body: unknown };

export function toFiltered(path: string, query: URLSearchParams): FilteredRequest {
  const url = `${path}?${query}`;
  if (url.length <= ADDRESS_CHARS_MAX) return { url, method: "GET" };
  const { filters = "{}", rows, zoom, ...rest } = Object.fromEntries(query);
  return {
    url: path,
    method: "POST",
    body: {
      ...{ ...rest, filters: JSON.parse(filters) },
      ...(rows !== undefined && { rows: rows === "true" }),
      ...(zoom !== undefined && { zoom: zoom === "true" }),
    },
  };
}

/** @throws ApiError */
export function sendFiltered<T>(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<T> {
  const { url, method, ...rest } = toFiltered(path, query);
  return send<T>(method, url, { ...rest, signal });
}
