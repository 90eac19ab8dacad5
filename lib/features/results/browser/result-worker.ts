import { arrangeInTurns, PLAIN } from "@/lib/features/results/browser/arrangement";
import { toColumnStats } from "@/lib/features/results/browser/column-stats";
import { findCells } from "@/lib/features/results/browser/find-rows";
import { chartRows, copyRows, readCells, sumRows } from "@/lib/features/results/browser/held-rows";
import { loadRows } from "@/lib/features/results/browser/load-rows";
import { toPivotRows } from "@/lib/features/results/browser/pivot-rows";
import { ObjectTable, RowTable } from "@/lib/features/results/browser/row-table";
import { countShown, type ShownRows } from "@/lib/features/results/browser/shown-rows";
import type { Ask, Asked, Reply } from "@/lib/features/results/browser/worker-messages";

/*
 * Holds one result outside the page: reads it into columns, sorts, filters and sums it, and returns the visible rows.
 */

type Port = {
  postMessage(message: Reply, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Ask>) => void) | null;
};
const port = globalThis as unknown as Port;

let shown: ShownRows = { table: new RowTable([]), order: null };
/** Incremented with each requested order, so that an outdated one can stop. */
let arrangements = 0;
let searches = 0;

port.onmessage = ({ data: ask }) => {
  answer(ask).then(
    (value) => {
      const parts = typeof value === "object" && value !== null ? Object.values(value) : [];
      const buffers = parts.flatMap((part) => (ArrayBuffer.isView(part) ? [part.buffer as ArrayBuffer] : []));
      port.postMessage({ id: ask.id, status: "done", answer: value }, buffers);
    },
    (error: unknown) => {
      const code = error instanceof Error && "code" in error ? String(error.code) : "internal";
      const message = error instanceof Error ? error.message : "Couldn't load the rows. Try again.";
      port.postMessage({ id: ask.id, status: "failed", message, code });
    },
  );
};

async function answer(ask: Ask): Promise<Asked[keyof Asked]["answer"]> {
  switch (ask.type) {
    case "load": {
      const table = new RowTable(ask.fields);
      const end = await loadRows(table, ask.request, (progress) =>
        port.postMessage({ id: ask.id, status: "progress", progress }),
      );
      shown = { table, order: null };
      return end;
    }
    case "adopt":
      shown = { table: new ObjectTable(ask.fields, ask.rows), order: null };
      return null;
    case "arrange": {
      arrangements += 1;
      const mine = arrangements;
      const order = await arrangeInTurns(shown.table, ask.arrangement ?? PLAIN, () => mine !== arrangements);
      if (order === undefined) return "stale";
      shown = { ...shown, order };
      // A copy: sending transfers the array, and the order is needed here too.
      return { count: countShown(shown), order: ask.isOrderWanted && order !== null ? order.slice() : null };
    }
    case "rows":
      return readCells(shown, ask.from, ask.to);
    case "copy":
      return copyRows(shown, ask);
    case "sum":
      return sumRows(shown, ask.columns, ask.from, ask.to);
    case "chart":
      return chartRows(shown, ask);
    case "stats":
      return toColumnStats(shown, ask.column);
    case "pivot":
      return toPivotRows(shown, ask);
    case "find": {
      searches += 1;
      const mine = searches;
      return (await findCells(shown, ask, () => mine !== searches)) ?? "stale";
    }
  }
}
