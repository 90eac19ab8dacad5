import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { streamLines } from "@/lib/platform/http/lines";
import { readWidgets } from "./data";
import { wordsOf } from "./parts";
import type { DataQuery } from "./schema";
import { getDashboardDocOrThrow } from "./service";

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
  const first = Promise.withResolvers<void>();
  const answer = streamLines<object>(signal, async (write, left) => {
    const all = readWidgets(doc, query, left, (widget) => {
      write(widget);
      first.resolve();
    });
    // Without a widget it is the answer's own failure.
    all.then(first.resolve, first.reject);
    await all.then(
      () => write({ end: true }),
      (error: unknown) => left.aborted || write({ error: wordsOf(error) }),
    );
  });
  await first.promise;
  return answer;
}
