import "server-only";
import { formatCount, formatCountOf } from "@/lib/base/values/amounts";
import type { HeldRun } from "@/lib/features/runs/execute";
import type { NewLogLine } from "@/lib/features/runs/logs";
import { type EntityProgress, NO_COUNTS, type RunCounts } from "@/lib/features/runs/schema";
import { LOG_EVERY_MS, REJECTED_ROWS_MAX, REPORT_EVERY_MS } from "./limits";

/** Progress of a run, which is reported to the store from time to time. */
export class Progress {
  readonly #held: HeldRun;
  readonly entities: EntityProgress[];
  #reportedAt = 0;
  #loggedAt = performance.now();

  constructor(held: HeldRun, names: string[]) {
    this.#held = held;
    const known = new Map(held.run.entities.map((entity) => [entity.name, entity]));
    this.entities = names.map(
      (name) => known.get(name) ?? { name, status: "waiting", counts: { ...NO_COUNTS }, total: null },
    );
  }

  get counts(): RunCounts {
    const sum = (of: keyof RunCounts) => this.entities.reduce((total, { counts }) => total + counts[of], 0);
    return { read: sum("read"), written: sum("written"), skipped: sum("skipped"), failed: sum("failed") };
  }

  /** Number of rows that the destination may still reject. */
  get rejectsLeft(): number {
    return Math.max(0, REJECTED_ROWS_MAX - this.counts.failed);
  }

  /** Reports the progress of an entity: now, or if the last report is old enough. */
  async set(index: number, change: Partial<EntityProgress>, when: "now" | "sometimes"): Promise<void> {
    const entity = this.entities[index];
    if (!entity) throw new Error("Entity not found.");
    Object.assign(entity, change);
    const now = performance.now();
    if (when === "sometimes" && now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    const { counts, entities } = this;
    await this.#held.report({ counts, entities, rowCount: counts.written });
    if (when === "sometimes" && now - this.#loggedAt >= LOG_EVERY_MS) {
      this.#loggedAt = now;
      await this.log([{ level: "info", text: `${entity.name}: ${inWords(entity.counts)} so far` }]);
    }
  }

  log(lines: NewLogLine[]): Promise<void> {
    return this.#held.log(lines);
  }
}

export function inWords({ read, written, failed }: RunCounts): string {
  const refused = failed === 0 ? "" : `, ${formatCount(failed)} rejected`;
  return `${formatCountOf(read, "row")} read, ${formatCount(written)} written${refused}`;
}
