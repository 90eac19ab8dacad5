import { RUNS_KEY } from "@/components/consoles/run-storage";
import type { ConsoleRun, ConsoleRuns } from "@/components/consoles/run-store";
import { isLeaving } from "@/components/layout/sign-out";

/** Maximum size of all kept results, in bytes of their answers. A browser stores 5 MiB for each tab. */
const KEPT_BYTES_MAX = 2 * 1024 * 1024;

type Kept = Pick<ConsoleRuns, "latest" | "pinned">;

/** Keeps the results of a tab over a reload, in storage that ends with the tab: they are the user's data. */
export class RunMemory {
  readonly #key: string;

  constructor(
    private readonly userId: string,
    workspaceId: string,
    private readonly storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">,
  ) {
    this.#key = `${RUNS_KEY}${userId}:${workspaceId}`;
  }

  /** Returns the kept runs by console, and removes them from the storage. */
  take(): [consoleId: string, runs: ConsoleRuns][] {
    try {
      const text = this.storage().getItem(this.#key);
      this.storage().removeItem(this.#key);
      const all = JSON.parse(text ?? "[]") as [string, Kept][];
      return all.map(([id, { latest, pinned }]) => {
        const shown = latest && this.#asKept(latest);
        const runs = {
          latest: shown,
          lastGood: shown?.status === "success" ? shown : null,
          newer: null,
          pinned: pinned.map((each) => ({ ...each, run: this.#asKept(each.run) })),
        };
        return [id, runs];
      });
    } catch {
      return [];
    }
  }

  /** Stores the runs that have ended, as far as they fit, the latest first. */
  keep(byConsole: ReadonlyMap<string, ConsoleRuns>): void {
    if (isLeaving()) return;
    let left = KEPT_BYTES_MAX;
    const fits = (runs: readonly (ConsoleRun | null)[]) => {
      const bytes = runs.reduce((sum, run) => sum + (run ? sizeOf(run) : 0), 0);
      if (bytes > left) return false;
      left -= bytes;
      return true;
    };
    const kept: [string, Kept][] = [];
    const ordered = [...byConsole].sort(([, a], [, b]) => (b.latest?.startedAt ?? 0) - (a.latest?.startedAt ?? 0));
    for (const [id, runs] of ordered) {
      // A running one ends without this page, and one without rows is no reason to hide those before it.
      const shown = runs.latest && hasEnded(runs.latest) ? runs.latest : runs.lastGood;
      const latest = fits([shown]) ? shown : null;
      const pinned = runs.pinned.filter(({ run }) => fits([run]));
      if (latest || pinned.length > 0) kept.push([id, { latest, pinned }]);
    }
    try {
      if (kept.length > 0) this.storage().setItem(this.#key, JSON.stringify(kept));
    } catch {
      // Without room in the storage, the results are read or run again.
    }
  }

  #asKept(run: ConsoleRun): ConsoleRun {
    return { ...run, keptOf: run.keptOf ?? { userId: this.userId, isByItself: false } };
  }
}

function hasEnded({ status, statements }: ConsoleRun): boolean {
  return status === "success" || (status !== "running" && statements.some(({ outcome }) => outcome.status === "done"));
}

function sizeOf({ content, statements }: ConsoleRun): number {
  return statements.reduce(
    (sum, { outcome }) => sum + (outcome.status === "done" ? outcome.answer.bytes : 0),
    content.length,
  );
}
