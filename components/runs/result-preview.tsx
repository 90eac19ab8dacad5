import type { ResultPreview } from "@/lib/client/runs";
import type { CellValue } from "@/lib/tabular/json-rows";
import { isNumericField, toCellText } from "@/lib/ui/cell-text";
import { formatCount, formatRows } from "@/lib/ui/format";
import "./runs.css";

/** How a kept result begins. */
export function ResultTable({ preview }: { preview: ResultPreview }) {
  const { fields, rows, rowCount, keptRows } = preview;
  if (rows.length === 0) {
    return (
      <p className="t2">
        It ran and found no rows, in {fields.length === 1 ? "1 column" : `${fields.length} columns`}.
      </p>
    );
  }
  return (
    <div className="preview">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
      <section className="preview-box" aria-label="Beginning of the result" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {fields.map((field) => (
                <th key={field.name} className={isNumericField(field) ? "r" : undefined} title={field.dbType}>
                  {field.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a result have no names and never move
              <tr key={index}>
                {fields.map((field) => {
                  const value = row[field.name] as CellValue | undefined;
                  return (
                    <td key={field.name} className={isNumericField(field) ? "r" : undefined}>
                      {value === null || value === undefined ? <i className="t3">null</i> : toCellText(value, field)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="xs t3 num">
        {rows.length < rowCount
          ? `The first ${formatCount(rows.length)} of ${formatRows(rowCount)}`
          : formatRows(rowCount)}
        {keptRows < rowCount && `, of which ${formatCount(keptRows)} are kept`}
      </p>
    </div>
  );
}
