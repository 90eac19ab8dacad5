import "server-only";
import { ObjectId } from "mongodb";
import { getConnectionDocOrThrow, getDriverOrThrow } from "@/lib/features/connections/service";
import { getConsoleDocOrThrow } from "@/lib/features/consoles/service";
import { accessOf } from "@/lib/features/folders/model";
import { planMetrics } from "@/lib/features/metrics/query";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import type { Source } from "./schema";

type MetricsSource = Extract<Source, { metrics: string[] }>;

/**
 * Rejects sources that the caller may not query, and those that the owner could not read: the data of a dashboard is
 * read with its owner's rights.
 * @throws AppError not_found for a connection or console that the caller cannot see; invalid_request for a connection
 * that only flows read, for a private console of a user other than the owner, and for a question about metrics without
 * an answer
 */
export async function refuseUnreadable(
  caller: Caller,
  ownerId: ObjectId,
  sources: readonly { path: string; source: Source }[],
): Promise<void> {
  const judged = new Set<string>();
  for (const { path, source } of sources) {
    if ("metrics" in source) await refuseUnplannable(caller, path, source);
    const id = "connectionId" in source ? source.connectionId : "consoleId" in source ? source.consoleId : null;
    if (id === null || judged.has(id)) continue;
    judged.add(id);
    if ("connectionId" in source) {
      const { type } = await getConnectionDocOrThrow(caller, new ObjectId(id));
      if (getDriverOrThrow(type).language) continue;
      throw invalidInput(`${path}.connectionId`, "This source works only in flows. Choose a database.");
    }
    const console = await getConsoleDocOrThrow(caller, new ObjectId(id));
    if (accessOf(console.space) === "workspace" || console.ownerId.equals(ownerId)) continue;
    throw invalidInput(`${path}.consoleId`, `“${console.path}” is private. Share the console or copy its query.`);
  }
}

/** Plans a question about metrics, so that a mistake in it is known before it is saved. */
async function refuseUnplannable(caller: Caller, path: string, source: MetricsSource): Promise<void> {
  try {
    await planMetrics(caller, source);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid_request") throw error;
    throw invalidInput(`${path}.metrics`, error.message);
  }
}
