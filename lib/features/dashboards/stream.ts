import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { readWidgets } from "./data";
import { wordsOf } from "./parts";
import type { DataQuery } from "./schema";
import { getDashboardDocOrThrow } from "./service";

export const WIDGET_LINES = "application/x-ndjson";

/**
 * Streams the data of a dashboard's widgets in order of completion: one line of JSON per widget, then `{"end": true}`,
 * or `{"error"}` where the rest could not be read. A slow widget delays no other.
 * @throws AppError as `readDashboardData`, while no widget was sent
 */
export async function streamDashboardData(
  caller: Caller,
  dashboardId: ObjectId,
  query: DataQuery,
  signal: AbortSignal,
): Promise<Response> {
  const doc = await getDashboardDocOrThrow(caller, dashboardId);
  const leave = new AbortController();
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start: (opened) => {
      controller = opened;
    },
    cancel: () => {
      controller = null;
      leave.abort();
    },
  });
  const say = (line: object) => controller?.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
  const first = Promise.withResolvers<void>();
  const all = readWidgets(doc, query, AbortSignal.any([signal, leave.signal]), (widget) => {
    say(widget);
    first.resolve();
  });
  await Promise.race([first.promise, all]);
  void all
    .then(
      () => say({ end: true }),
      (error: unknown) => !signal.aborted && !leave.signal.aborted && say({ error: wordsOf(error) }),
    )
    .finally(() => controller?.close());
  // Compression would buffer lines.
  return new Response(body, { headers: { "content-type": WIDGET_LINES, "cache-control": "no-store, no-transform" } });
}
