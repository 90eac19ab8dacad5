import { RowsTable } from "@/components/ui/rows-table";
import type { ResultPreview } from "@/lib/features/results/schema";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import "./runs.css";

/** Beginning of a stored result. */
export function ResultTable({ preview }: { preview: ResultPreview }) {
  const { fields, rows, rowCount, keptRows } = preview;
  if (rows.length === 0) {
    return <p className="t2">No rows. {formatCountOf(fields.length, "column")}.</p>;
  }
  return (
    <div className="kept-rows">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
      <section className="preview-box" aria-label="Result preview" tabIndex={0}>
        <RowsTable label="Result preview" fields={fields} rows={rows} />
      </section>
      <p className="xs t3 num">
        {rows.length < rowCount
          ? `First ${formatCount(rows.length)} of ${formatCountOf(rowCount, "row")}`
          : formatCountOf(rowCount, "row")}
        {keptRows < rowCount && `, ${formatCount(keptRows)} saved`}
      </p>
    </div>
  );
}
