import { type RequestOptions, request } from "@/lib/platform/browser/request";

/** Maximum number of items in a list's answer (docs/develop/api.md, Common rules). */
const PAGE_ITEMS = 200;

/**
 * Loads all pages of a list whose answers are plain arrays: each answer has a limit, and a header for the next page.
 * @param url without a query
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

/** Returns the answers of all pages in order; there is always at least one. */
export async function sendPages<T>(url: string, options: RequestOptions = {}): Promise<[T, ...T[]]> {
  const read = (cursor: string) => request<T>("GET", `${url}?limit=${PAGE_ITEMS}${cursor}`, options);
  let page = await read("");
  const pages: [T, ...T[]] = [page.data];
  while (page.nextCursor !== null) {
    page = await read(`&cursor=${encodeURIComponent(page.nextCursor)}`);
    pages.push(page.data);
  }
  return pages;
}
