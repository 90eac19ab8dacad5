import { type RequestOptions, request } from "@/lib/platform/browser/request";

/** Maximum number of ids in a request for them (docs/develop/api.md, Common rules). */
const IDS_MAX = 200;
/** Number of items that a list shows at first, and adds on request: few enough to render at once. */
const PAGE_ITEMS = 100;

/** One page of a list; `nextCursor` is null at the end. */
export type ListPage<T> = { data: T; nextCursor: string | null };

/** Returns one page of an answer, and the cursor of the next one; null at the end. @param url with its query */
export async function sendPage<T>(url: string, options: RequestOptions = {}): Promise<ListPage<T>> {
  const { data, nextCursor } = await request<T>("GET", url, options);
  return { data, nextCursor };
}

/** Returns one page of a list. @param cursor of the previous page; null for the first page */
export function sendListPage<T>(url: string, cursor: string | null, signal?: AbortSignal): Promise<ListPage<T>> {
  const query = new URLSearchParams({ limit: `${PAGE_ITEMS}`, ...(cursor !== null && { cursor }) });
  return sendPage<T>(`${url}${url.includes("?") ? "&" : "?"}${query}`, { signal });
}

/** Returns ids as the `ids` of requests, each with at most as many as one may have. */
export function toIdLists(ids: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(ids.length / IDS_MAX) }, (_, at) =>
    ids.slice(at * IDS_MAX, (at + 1) * IDS_MAX).join(),
  );
}
