"use client";

import { CircleX, Download } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { toEndWords } from "@/components/results/export-words";
import { Menu, MenuItem } from "@/components/ui/menu";
import { showFailure, showToast } from "@/components/ui/toast";
import { type ExportJob, exportJobs } from "@/lib/features/results/browser/export-jobs";
import { formatCount, formatCountOf, toSize } from "@/lib/platform/browser/format";

/** Entry of the status bar for exports without a dialog: their progress, and a menu to cancel them. */
export function ExportEntry() {
  const jobs = useSyncExternalStore(exportJobs.subscribe, exportJobs.list, exportJobs.list);
  const left = jobs.filter(({ isWatched }) => !isWatched);
  useEffect(() => {
    for (const job of exportJobs.list()) {
      if (job.isWatched || job.work.status === "running") continue;
      exportJobs.remove(job.id);
      const words = toEndWords(job);
      if (job.work.status === "failed") showFailure(words ?? "");
      else showToast(words ?? `Export of ${job.name} cancelled`);
    }
  });
  const running = left.filter(({ work }) => work.status === "running");
  const [only] = running;
  if (only === undefined) return null;
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className="row moving num">
          <Download className="xs" />
          {running.length === 1
            ? `Exporting ${only.name}, ${toProgress(only)}`
            : `${formatCount(running.length)} exports`}
        </button>
      }
    >
      {running.map((job) => (
        <MenuItem
          key={job.id}
          icon={<CircleX />}
          end={<span className="num">{toProgress(job)}</span>}
          onSelect={() => exportJobs.cancel(job.id)}
        >
          Cancel {job.name}
        </MenuItem>
      ))}
    </Menu>
  );
}

function toProgress({ work }: ExportJob): string {
  if (work.status !== "running") return "";
  const { rows, bytes } = work.progress;
  const { value, unit } = toSize(bytes);
  return rows === null ? `${value} ${unit}` : formatCountOf(rows, "row");
}
