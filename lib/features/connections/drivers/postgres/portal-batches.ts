import "server-only";
import type { Batch } from "@/lib/base/values/fields";
import { Pacer } from "@/lib/platform/process/pacer";
import type { QueryOptions } from "../../data-source";
import type { StatementRun } from "../shared/statement-run";
import { parseLargeCells } from "../shared/wire-values";
import type { Portal } from "./portal";
import type { PostgresSession } from "./session";

/**
 * Yields the rows of a portal and ends its run.
 * @param toFailure converts the error that ended the rows
 */
export async function* portalBatches(
  run: StatementRun<PostgresSession>,
  portal: Portal,
  { readOnly, isChange }: Pick<QueryOptions, "readOnly" | "isChange">,
  toFailure: (error: unknown) => unknown,
): AsyncGenerator<Batch, void> {
  const pacer = new Pacer();
  try {
    for (;;) {
      const step = await portal.next();
      if ("done" in step) {
        // A write counts only once the server has confirmed it.
        if (!readOnly) await portal.over;
        return;
      }
      // Rows as bytes have no large cells.
      if (!step.batch.raw) await parseLargeCells(step.batch.columns, () => pacer.restIfLate());
      yield step.batch;
      if (step.batch.isCut && !isChange) return;
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    run.end();
  }
}
