import type { QueryOutput } from "@/components/agent/tool-parts";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toCellText } from "@/lib/features/results/browser/cell-text";

/** Rows and columns of a card: the console shows more. */
export const SHOWN_ROWS = 6;
const SHOWN_COLUMNS = 30;
const CELL_CHARS = 80;

/** The first rows of a result, in a small grid that scrolls horizontally. */
export function MiniGrid({ output: { fields, rows } }: { output: QueryOutput }) {
  const columns = fields.slice(0, SHOWN_COLUMNS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    <section className="mini-box" aria-label="First rows" tabIndex={0}>
      <table className="mini">
        <thead>
          <tr>
            {columns.map((field, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <th key={at} className={isNumericField(field) ? "r" : undefined}>
                {field.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN_ROWS).map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows stay where they are
            <tr key={at}>
              {columns.map((field, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
                <td key={column} className={isNumericField(field) ? "r" : undefined}>
                  {toCell(row[field.name] as CellValue | undefined, field)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function toCell(value: CellValue | undefined, field: ResultField) {
  if (value === null || value === undefined) return <i className="t3">null</i>;
  const text = toCellText(value, field);
  return text.length > CELL_CHARS ? `${text.slice(0, CELL_CHARS)}...` : text;
}
