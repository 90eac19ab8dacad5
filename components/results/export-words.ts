import type { ExportJob } from "@/lib/features/results/browser/export-jobs";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Returns the end of an export in words; null while it runs, and when the user has cancelled it. */
export function toEndWords({ name, work }: ExportJob): string | null {
  if (work.status === "failed") return `Couldn't export ${name}. ${work.message}`;
  if (work.status !== "done") return null;
  const { rows } = work.progress;
  return rows === null ? `${name} exported` : `${name} exported, ${formatCountOf(rows, "row")}`;
}
