"use client";

import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { CellInspector, type Inspected } from "@/components/grid/cell-inspector";
import { ResultCards } from "@/components/grid/result-cards";
import { ResultGrid } from "@/components/grid/result-grid";
import { useCopy } from "@/components/grid/use-copy";
import { useResultColumns } from "@/components/grid/use-result-columns";
import type { MenuAction } from "@/components/ui/menu-actions";
import { useIsPhone } from "@/components/ui/use-browser";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { CellPosition, CellRange } from "@/lib/features/results/browser/grid-selection";
import { AnswerRows } from "@/lib/features/results/browser/rows-source";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";

type RowsGridProps = {
  label: string;
  /** Query of the rows, which names the table when copying as INSERT; "" to leave the name out. */
  query: string;
  dialect: SqlDialect;
  fields: ResultField[];
  rows: ResultRow[];
  /** Returns actions of a row, by its values. */
  actionsOf?: ((cellOf: (column: string) => CellValue) => MenuAction[]) | undefined;
};

/** Loaded rows in the grid of a console; cards on a phone. */
export function RowsGrid({ label, fields, rows, query, dialect, actionsOf }: RowsGridProps) {
  const isPhone = useIsPhone();
  const source = useMemo(() => new AnswerRows(fields, rows), [fields, rows]);
  useEffect(() => () => source.close(), [source]);
  const readVersion = useCallback(() => source.version, [source]);
  useSyncExternalStore(source.subscribe, readVersion, readVersion);
  const { table, columns } = useResultColumns(fields, source.sample);
  const [range, setRange] = useState<CellRange | null>(null);
  const [inspected, setInspected] = useState<Inspected | null>(null);
  const { copyAs, copyTo } = useCopy(source, columns, range, { text: query, dialect });
  const sort = (by: SortBy | null) => {
    setRange(null);
    source.arrange({ ...source.arrangement, sort: by });
  };
  const inspect = ({ row, column }: CellPosition) => {
    const shown = columns[column];
    if (shown) setInspected({ field: shown.field, value: source.cell(row, shown.index), rowNumber: row + 1 });
  };
  const toActions =
    actionsOf &&
    ((row: number) =>
      actionsOf((name) => {
        const column = fields.findIndex((field) => field.name === name);
        return source.cell(row, column) ?? null;
      }));
  return (
    <div className="rows-grid">
      {isPhone ? (
        <ResultCards source={source} columns={columns} onInspect={inspect} />
      ) : (
        <ResultGrid
          source={source}
          table={table}
          columns={columns}
          label={label}
          range={range}
          onRange={setRange}
          onSort={sort}
          onInspect={inspect}
          onCopy={copyTo}
          toActions={toActions}
          onCopyAs={(format) => void copyAs(format, true)}
        />
      )}
      <CellInspector
        inspected={inspected}
        actions={inspected === null ? [] : (toActions?.(inspected.rowNumber - 1) ?? [])}
        onClose={() => setInspected(null)}
      />
    </div>
  );
}
