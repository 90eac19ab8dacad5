"use client";

import { Download, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { readActivity } from "@/components/activity/read-activity";
import { readConnectionsOf } from "@/components/activity/use-connections-of";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuItem } from "@/components/ui/menu";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useConnectivity } from "@/components/ui/use-browser";
import { openExportFile } from "@/lib/features/results/browser/export-file";
import { type Activity, type ActivityFilter, beginOf, isLike, starterOf } from "@/lib/features/runs/browser/activity";
import {
  ACTIVITY_TYPES,
  type ActivityFormat,
  toActivityHead,
  toActivityLine,
} from "@/lib/features/runs/browser/activity-export";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import { toIdLists } from "@/lib/platform/browser/lists";

/**
 * Maximum number of lines of one file, and of items that are searched for them: enough to read, not a copy of the
 * database.
 */
const LINES_MAX = 10_000;
const LOOKED_THROUGH_MAX = 50_000;

/** Writes the filtered items to a file, beyond those that the page has loaded: page by page as they arrive. */
export function ExportActivity({ filter }: { filter: ActivityFilter }) {
  const { workspace } = useWorkspace();
  const { isOnline } = useConnectivity();
  const [written, setWritten] = useState<number | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const start = async (format: ActivityFormat) => {
    const file = await openExportFile(`activity.${format}`, ACTIVITY_TYPES[format]);
    if (file === null) return;
    const controller = new AbortController();
    abort.current = controller;
    setWritten(0);
    const encoder = new TextEncoder();
    const names = new Map<string, string>();
    let [lines, looked] = [0, 0];
    const now = new Date();
    const begin = beginOf(filter, now) ?? "";
    try {
      await file.write(encoder.encode(toActivityHead(format)));
      for await (const items of readActivity(workspace.id, filter.kind, controller.signal)) {
        const needsConnections = filter.connectionId !== null;
        const connectionsOf = await readConnectionsOf(workspace.id, needsConnections ? items : [], controller.signal);
        const facts = { now, connectionsOf };
        const shown = items.filter((item) => isLike(item, filter, facts)).slice(0, LINES_MAX - lines);
        await addNames(names, workspace.id, shown, controller.signal);
        const text = shown.map((item) => toActivityLine(format, item, (id) => names.get(id))).join("");
        await file.write(encoder.encode(text));
        lines += shown.length;
        looked += items.length;
        setWritten(lines);
        // Newest first: all later pages are older than the requested period.
        if ((items.at(-1)?.at ?? begin) < begin) break;
        if (lines === LINES_MAX || looked >= LOOKED_THROUGH_MAX) break;
      }
      await file.close();
      const isCut = lines === LINES_MAX || looked >= LOOKED_THROUGH_MAX;
      announce(`Exported ${isCut ? "the latest " : ""}${formatCountOf(lines, "entry", "entries")}`);
    } catch (error) {
      await file.abort().catch(() => {});
      if (!controller.signal.aborted) showFailure(`Export failed. ${toMessage(error)}`);
    } finally {
      setWritten(null);
    }
  };

  if (written !== null) {
    return (
      <button type="button" className="btn" onClick={() => abort.current?.abort()}>
        <Square className="s" />
        Cancel export ({formatCount(written)})
      </button>
    );
  }
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="btn" disabled={!isOnline}>
          <Download className="s" />
          Export
        </button>
      }
    >
      <MenuItem icon={<Download />} onSelect={() => void start("csv")}>
        Export CSV
      </MenuItem>
      <MenuItem icon={<Download />} onSelect={() => void start("ndjson")}>
        Export NDJSON
      </MenuItem>
    </Menu>
  );
}

/** Adds the names of those who started the items, by user id. @throws ApiError */
async function addNames(
  names: Map<string, string>,
  workspaceId: string,
  items: readonly Activity[],
  signal: AbortSignal,
): Promise<void> {
  const starters = new Set(items.flatMap((item) => starterOf(item) ?? []));
  for (const ids of toIdLists([...starters].filter((id) => !names.has(id)))) {
    const found = await workspaceApi.lookUpMembers(workspaceId, ids, signal);
    for (const { userId, name, email } of found) names.set(userId, name || email);
  }
}
