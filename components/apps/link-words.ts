import type { Repo } from "@/lib/features/apps/browser/client";
import { formatAgo } from "@/lib/platform/browser/format-time";

/** Describes the state of a linked repository in one line. @param now null before the browser's clock is known */
export function toLinkWords(
  { state, defaultBranch, conflicts, syncedAt }: Repo,
  now: Date | null,
): { text: string; isProblem: boolean } {
  const ago = syncedAt === null || now === null ? "" : `, synced ${formatAgo(new Date(syncedAt), now)}`;
  switch (state) {
    case "synced":
      return { text: `Linked, ${defaultBranch}${ago}`, isProblem: false };
    case "pending":
      return { text: `Waits for its turn, ${defaultBranch}${ago}`, isProblem: false };
    case "conflict": {
      const count = conflicts.length === 1 ? "1 file" : `${conflicts.length} files`;
      return { text: `${count} changed on both sides${ago}`, isProblem: true };
    }
    case "failing":
      return { text: `Not in step${ago}`, isProblem: true };
  }
}
