import { type RequestOptions, request } from "@/lib/platform/browser/request";

/** The most that a list answers at once (docs/develop/api.md, Common rules). */
const PAGE_ITEMS = 200;

/**
 * All pages of a list whose answers are plain arrays: each answer has its limit, and says in a header how it goes on.
 * @param url without a query
 */
export async function sendAll<T>(url: string, options: RequestOptions = {}): Promise<T[]> {
  return (await sendPages<T[]>(url, options)).flat();
}

/** One page of an answer, and the cursor of the next one; null at the end. @param url with its query */
export async function sendPage<T>(
  url: string,
  options: RequestOptions = {},
): Promise<{ data: T; nextCursor: string | null }> {
  const { data, nextCursor } = await request<T>("GET", url, options);
  return { data, nextCursor };
}

/** The answers of all pages, the first one first; there is always one. */
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
