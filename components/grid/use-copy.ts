"use client";

import type { GridColumn } from "@/components/grid/use-result-columns";
import { copyText } from "@/components/ui/copy-text";
import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toSqlName } from "@/lib/base/sql/names";
import { readScope } from "@/lib/base/sql/scope";
import type { CopyFormat } from "@/lib/features/results/browser/copy-rows";
import { type CellRange, countCells, toBounds } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import type { CopyAsk } from "@/lib/features/results/browser/worker-messages";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

/** Query that returned the rows. */
type SqlText = { text: string; dialect: SqlDialect };

/** Limit above which other programs stop responding when they read the clipboard. */
const COPIED_CELLS_MAX = 2_000_000;
const COPIED_TOAST_MS = 3000;
const NAMES: Partial<Record<CopyFormat, string>> = { insert: "an INSERT statement", list: "a list" };

/** Returns functions that copy the selection, or all visible rows if at most one cell is selected. */
export function useCopy(source: RowsSource, columns: GridColumn[], range: CellRange | null, statement: SqlText) {
  const toAsk = (format: CopyFormat, isOneCellEnough: boolean): CopyAsk => {
    const bounds = range && toBounds(range);
    const insert = { table: toTableName(statement), dialect: statement.dialect };
    if (bounds === null || bounds.top < 0 || (countCells(bounds) < 2 && !isOneCellEnough)) {
      return { format, columns: columns.map(({ index }) => index), from: 0, to: source.count, withHead: true, insert };
    }
    const picked = columns.slice(bounds.left, bounds.right + 1).map(({ index }) => index);
    const withHead = !isOneCellEnough || format === "csv";
    return { format, columns: picked, from: bounds.top, to: bounds.bottom + 1, withHead, insert };
  };
  const isTooMuch = ({ columns: picked, from, to }: CopyAsk) => {
    if (picked.length * (to - from) <= COPIED_CELLS_MAX) return false;
    showFailure(`Too many cells to copy. The limit is ${formatCount(COPIED_CELLS_MAX)}. Export the rows instead.`);
    return true;
  };
  const write = async (ask: CopyAsk) => {
    try {
      const read = async (each: CopyAsk) => source.copyNow(each) ?? (await source.copy(each));
      const html = ask.format === "tsv" ? await read({ ...ask, format: "html" }) : null;
      if (await copyText(await read(ask), html)) return true;
    } catch {
      // Reported below, as when the browser refuses.
    }
    showFailure("The browser blocked copying. Select cells and copy them with the keyboard.");
    return false;
  };

  return {
    /** Copies in a format. @param isOneCellEnough true: a single selected cell is copied alone, not all visible rows */
    copyAs: async (format: CopyFormat, isOneCellEnough = false) => {
      const ask = toAsk(format, isOneCellEnough);
      if (isTooMuch(ask) || !(await write(ask))) return;
      const name = NAMES[format] ?? format.toUpperCase();
      showToast(`${formatCountOf(ask.to - ask.from, "row")} copied as ${name}`, {
        id: "copied",
        duration: COPIED_TOAST_MS,
      });
    },
    /** Copies the selection for the keyboard shortcut: cells only, without a head. */
    copyTo: (clipboard: DataTransfer) => {
      const ask = toAsk("tsv", true);
      if (isTooMuch(ask)) return;
      const text = source.copyNow(ask);
      if (text === null) void write(ask);
      else {
        clipboard.setData("text/plain", text);
        clipboard.setData("text/html", source.copyNow({ ...ask, format: "html" }) ?? "");
      }
      if (ask.to - ask.from > 1) announce(`${formatCountOf(ask.to - ask.from, "row")} copied`);
    },
  };
}

/** Returns the table name for INSERT: the only table of the statement, else a neutral name. */
function toTableName(statement: SqlText): string {
  const { tables, ctes } = readScope(statement.text, statement.dialect);
  const [only, other] = tables;
  if (only === undefined || other !== undefined || ctes.length > 0) return "result";
  const parts = only.schema === null ? [only.name] : [only.schema, only.name];
  return parts.map((part) => toSqlName(part, statement.dialect)).join(".");
}
