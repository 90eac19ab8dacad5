import { type RequestOptions, request } from "@/lib/platform/browser/request";

/** Maximum number of items in a list's answer, and of ids in a request for them (docs/develop/api.md, Common rules). */
const PAGE_ITEMS = 200;

/**
 * Loads all pages of a list whose answers are plain arrays: each answer has a limit, and a header for the next page.
 * Use it for short lists, such as connections. Read others page by page, or by ids.
 */
export async function sendAll<T>(url: string, options: RequestOptions = {}): Promise<T[]> {
  return (await sendPages<T[]>(url, options)).flat();
}

/** Returns one page of an answer, and the cursor of the next one; null at the end. @param url with its query */
export async function sendPage<T>(
  url: string,
  options: RequestOptions = {},
): Promise<{ data: T; nextCursor: string | null }> {
  const { data, nextCursor } = await request<T>("GET", url, options);
  return { data, nextCursor };
}

/** Returns ids as the `ids` of requests, each with at most as many as one may have. */
export function toIdLists(ids: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(ids.length / PAGE_ITEMS) }, (_, at) =>
    ids.slice(at * PAGE_ITEMS, (at + 1) * PAGE_ITEMS).join(),
  );
}

/** Returns the answers of all pages in order; there is always at least one. */
export async function sendPages<T>(url: string, options: RequestOptions = {}): Promise<[T, ...T[]]> {
  const read = (cursor: string) =>
    request<T>("GET", `${url}${url.includes("?") ? "&" : "?"}limit=${PAGE_ITEMS}${cursor}`, options);
  let page = await read("");
  const pages: [T, ...T[]] = [page.data];
  while (page.nextCursor !== null) {
    page = await read(`&cursor=${encodeURIComponent(page.nextCursor)}`);
    pages.push(page.data);
  }
  return pages;
}
