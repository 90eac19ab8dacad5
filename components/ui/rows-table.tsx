import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toCellText } from "@/lib/features/results/browser/cell-text";
import "@/components/ui/page.css";

type RowsTableProps = { label: string; fields: readonly ResultField[]; rows: readonly Record<string, unknown>[] };

/** Previews a few rows. Long values are cut; a console shows them in full. */
export function RowsTable({ label, fields, rows }: RowsTableProps) {
  return (
    <table className="mini" aria-label={label}>
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
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no more than their place
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
  );
}
