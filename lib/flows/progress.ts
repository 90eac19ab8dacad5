import "server-only";
import { log } from "@/lib/log";
import { appendLog, type NewLogLine } from "@/lib/runs/logs";
import type { RunDoc } from "@/lib/runs/model";
import type { EntityProgress, RunCounts } from "@/lib/runs/schema";
import { type RunHold, type RunWord, reportProgress } from "@/lib/runs/service";
import { LOG_EVERY_MS, REJECTED_ROWS_MAX, REPORT_EVERY_MS } from "./limits";

const NONE: RunCounts = { read: 0, written: 0, skipped: 0, failed: 0 };

/** How far a run is, as it tells the store from time to time. */
export class Progress {
  readonly #run: RunDoc;
  readonly #hold: RunHold;
  readonly #hear: (word: RunWord) => void;
  readonly entities: EntityProgress[];
  #reportedAt = 0;
  #loggedAt = performance.now();

  /** @param hear is told what the store says: whether to go on */
  constructor({
    run,
    hold,
    names,
    hear,
  }: { run: RunDoc; hold: RunHold; names: string[]; hear: (word: RunWord) => void }) {
    this.#run = run;
    this.#hold = hold;
    this.#hear = hear;
    const known = new Map(run.entities.map((entity) => [entity.name, entity]));
    this.entities = names.map(
      (name) => known.get(name) ?? { name, status: "waiting", counts: { ...NONE }, total: null },
    );
  }

  get counts(): RunCounts {
    const sum = (of: keyof RunCounts) => this.entities.reduce((total, { counts }) => total + counts[of], 0);
    return { read: sum("read"), written: sum("written"), skipped: sum("skipped"), failed: sum("failed") };
  }

  /** Rows that the destination may still refuse. */
  get rejectsLeft(): number {
    return Math.max(0, REJECTED_ROWS_MAX - this.counts.failed);
  }

  /** Says how an entity stands: now, or when it was last said long enough ago. */
  async set(index: number, change: Partial<EntityProgress>, when: "now" | "sometimes"): Promise<void> {
    const entity = this.entities[index];
    if (!entity) throw new Error("There is no such entity.");
    Object.assign(entity, change);
    const now = performance.now();
    if (when === "sometimes" && now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    const { counts, entities } = this;
    try {
      this.#hear(await reportProgress(this.#hold, { counts, entities, rowCount: counts.written }));
    } catch (error) {
      // A store that is away for a moment ends no run; the lease decides.
      log.warn({ err: error, runId: this.#hold.runId.toHexString() }, "a run could not say how far it is");
    }
    if (when === "sometimes" && now - this.#loggedAt >= LOG_EVERY_MS) {
      this.#loggedAt = now;
      await this.log([{ level: "info", text: `${entity.name}: ${inWords(entity.counts)} so far` }]);
    }
  }

  async log(lines: NewLogLine[]): Promise<void> {
    try {
      await appendLog(this.#run.workspaceId, this.#run._id, lines);
    } catch (error) {
      log.warn({ err: error, runId: this.#hold.runId.toHexString() }, "lines of a run's log could not be kept");
    }
  }
}

export function inWords({ read, written, failed }: RunCounts): string {
  const amount = (count: number) => count.toLocaleString("en");
  const refused = failed === 0 ? "" : `, ${amount(failed)} refused`;
  return `${amount(read)} ${read === 1 ? "row" : "rows"} read, ${amount(written)} written${refused}`;
}
