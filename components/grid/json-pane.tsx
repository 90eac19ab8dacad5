"use client";

import { useEffect, useState } from "react";
import { JsonView } from "@/components/grid/json-view";
import type { GridColumn } from "@/components/grid/use-result-columns";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { formatCount } from "@/lib/platform/browser/format";

/** More rows would be many megabytes of text, for which the export is faster. */
const JSON_ROWS_MAX = 10_000;

/** Rows in their current order as JSON. */
export function JsonPane({ source, columns }: { source: RowsSource; columns: GridColumn[] }) {
  const [text, setText] = useState<string | null>(null);
  const { arrangement, count } = source;
  const picked = columns.map(({ index }) => index).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another arrangement gives other rows
  useEffect(() => {
    let isStale = false;
    const ask = { format: "json", columns: picked.split(",").map(Number), from: 0, withHead: true } as const;
    source.copy({ ...ask, to: Math.min(count, JSON_ROWS_MAX) }).then(
      (copied) => !isStale && setText(copied),
      () => !isStale && setText(""),
    );
    return () => {
      isStale = true;
    };
  }, [source, arrangement, count, picked]);
  if (text === null) return <div className="result-fill" aria-busy="true" />;
  return (
    <>
      {count > JSON_ROWS_MAX && (
        <div className="result-note">
          First {formatCount(JSON_ROWS_MAX)} of {formatCount(count)} rows. Export as NDJSON to get all rows.
        </div>
      )}
      <JsonView text={text} label="Rows as JSON" />
    </>
  );
}
