"use client";

import { Download, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { writeActivity } from "@/components/activity/write-activity";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuItem } from "@/components/ui/menu";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useConnectivity } from "@/components/ui/use-browser";
import { openExportFile } from "@/lib/features/results/browser/export-file";
import type { ActivityFilter } from "@/lib/features/runs/browser/activity";
import { ACTIVITY_TYPES, type ActivityFormat } from "@/lib/features/runs/browser/activity-export";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

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
    try {
      const { lines, isCut } = await writeActivity(workspace.id, filter, format, file, controller.signal, setWritten);
      await file.close();
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
