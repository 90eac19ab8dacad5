import { readActivity } from "@/components/activity/read-activity";
import { readConnectionsOf } from "@/components/activity/use-connections-of";
import type { ExportFile } from "@/lib/features/results/browser/export-file";
import { type Activity, type ActivityFilter, beginOf, isLike, starterOf } from "@/lib/features/runs/browser/activity";
import { type ActivityFormat, toActivityHead, toActivityLine } from "@/lib/features/runs/browser/activity-export";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { toIdLists } from "@/lib/platform/browser/lists";

/**
 * Maximum number of lines of one file, and of items that are searched for them: enough to read, not a copy of the
 * database.
 */
const LINES_MAX = 10_000;
const LOOKED_THROUGH_MAX = 50_000;

/**
 * Writes the filtered items to a file, newest first, page by page as they arrive. The file stays open.
 * @param onWritten called after each page with the number of lines written so far
 * @returns the number of lines; `isCut` is true if a limit ended the file
 * @throws ApiError
 */
export async function writeActivity(
  workspaceId: string,
  filter: ActivityFilter,
  format: ActivityFormat,
  file: Pick<ExportFile, "write">,
  signal: AbortSignal,
  onWritten: (lines: number) => void,
): Promise<{ lines: number; isCut: boolean }> {
  const encoder = new TextEncoder();
  const names = new Map<string, string | undefined>();
  const now = new Date();
  const begin = beginOf(filter, now) ?? "";
  let [lines, looked] = [0, 0];
  await file.write(encoder.encode(toActivityHead(format)));
  for await (const { items, read } of readActivity(workspaceId, filter.kind, signal)) {
    const needsConnections = filter.connectionId !== null;
    const connectionsOf = await readConnectionsOf(workspaceId, needsConnections ? items : [], signal);
    const facts = { now, connectionsOf };
    const shown = items.filter((item) => isLike(item, filter, facts)).slice(0, LINES_MAX - lines);
    await addNames(names, workspaceId, shown, signal);
    const text = shown.map((item) => toActivityLine(format, item, (id) => names.get(id))).join("");
    await file.write(encoder.encode(text));
    lines += shown.length;
    looked += read;
    onWritten(lines);
    // Newest first: all later pages are older than the requested period.
    if ((items.at(-1)?.at ?? begin) < begin) break;
    if (lines === LINES_MAX || looked >= LOOKED_THROUGH_MAX) return { lines, isCut: true };
  }
  return { lines, isCut: false };
}

/** Adds the names of those who started the items, by user id; undefined for users who left. @throws ApiError */
async function addNames(
  names: Map<string, string | undefined>,
  workspaceId: string,
  items: readonly Activity[],
  signal: AbortSignal,
): Promise<void> {
  const starters = new Set(items.flatMap((item) => starterOf(item) ?? []));
  for (const ids of toIdLists([...starters].filter((id) => !names.has(id)))) {
    // Each user is looked up once.
    for (const id of ids.split(",")) names.set(id, undefined);
    const found = await workspaceApi.lookUpMembers(workspaceId, ids, signal);
    for (const { userId, name, email } of found) names.set(userId, name || email);
  }
}
