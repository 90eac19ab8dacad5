import { notificationApi } from "@/lib/features/notifications/browser/client";
import { executionsApi } from "@/lib/features/query/browser/executions";
import {
  type Activity,
  type ActivityKind,
  mergeActivity,
  resourceTypeOf,
  type Source,
  sourcesToRead,
  toDeliveryActivity,
  toQueryActivity,
  toRunActivity,
} from "@/lib/features/runs/browser/activity";
import { runsApi } from "@/lib/features/runs/browser/client";

/** Part of the activity. `read` counts the items behind it, including queries of runs, which are no entries. */
type Part = { items: Activity[]; read: number };
type List = Source & { items: Activity[]; cursor: string | null; read: () => Promise<number> };
type Answer = { items: (Activity | null)[]; nextCursor: string | null };

/**
 * Reads all of the activity, newest first, page by page. Items that were yielded are released, so that a year needs no
 * more memory than a day. A part may be empty, so that the reader can stop between any two pages.
 * @param kind the only kind to read; null for all
 */
export async function* readActivity(
  workspaceId: string,
  kind: ActivityKind | null,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const resourceType = resourceTypeOf(kind);
  const lists: List[] = [];
  const add = (ask: (cursor: string | null) => Promise<Answer>) => {
    const list: List = {
      items: [],
      hasMore: true,
      cursor: null,
      read: async () => {
        const { items, nextCursor } = await ask(list.cursor);
        list.items = [...list.items, ...items.filter((item) => item !== null)];
        list.hasMore = nextCursor !== null;
        list.cursor = nextCursor;
        return items.length;
      },
    };
    lists.push(list);
  };
  if (kind === null || resourceType !== undefined) {
    add(async (cursor) => {
      const { items, nextCursor } = await runsApi.list(workspaceId, { resourceType }, cursor, signal);
      return { items: items.map(toRunActivity), nextCursor };
    });
  }
  if (kind === null || kind === "query") {
    add(async (cursor) => {
      const { items, nextCursor } = await executionsApi.list(workspaceId, cursor, signal);
      return { items: items.map(toQueryActivity), nextCursor };
    });
  }
  if (kind === null || kind === "delivery") {
    add(async (cursor) => {
      const { items, nextCursor } = await notificationApi.listDeliveries(workspaceId, {}, cursor, signal);
      return { items: items.map(toDeliveryActivity), nextCursor };
    });
  }
  while (true) {
    const behind = sourcesToRead(lists);
    const counts = await Promise.all(behind.map((index) => lists[index]?.read() ?? 0));
    const ready = mergeActivity(lists);
    const told = new Set(ready);
    for (const list of lists) list.items = list.items.filter((item) => !told.has(item));
    yield { items: ready, read: counts.reduce((sum, count) => sum + count, 0) };
    if (lists.every(({ hasMore }) => !hasMore)) return;
  }
}
