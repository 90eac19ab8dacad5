import type { Repo } from "@/lib/features/linked-repositories/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { formatAgo } from "@/lib/platform/browser/format-time";

/** Describes the state of a linked repository in one line. @param now null before the browser's clock is known */
export function toLinkWords(
  { state, defaultBranch, conflicts, syncedAt }: Repo,
  now: Date | null,
): { text: string; isProblem: boolean } {
  const ago = syncedAt === null || now === null ? "" : `, last synced ${formatAgo(new Date(syncedAt), now)}`;
  switch (state) {
    case "synced":
      return { text: `Linked to ${defaultBranch}${ago}`, isProblem: false };
    case "pending":
      return { text: `Sync queued for ${defaultBranch}${ago}`, isProblem: false };
    case "conflict": {
      const count = formatCountOf(conflicts.length, "file");
      return { text: `Conflicts in ${count}${ago}`, isProblem: true };
    }
    case "rejected":
      return { text: `Invalid file${ago}`, isProblem: true };
    case "rewritten":
      return { text: `Branch rewritten${ago}`, isProblem: true };
    case "removed":
      return { text: `Files removed in the repository${ago}`, isProblem: true };
    case "failing":
      return { text: `Sync failed${ago}`, isProblem: true };
  }
}
