"use client";

import type { WidgetPress } from "@/components/dashboards/widget-press";
import { formatChange, toTone } from "@/lib/base/charts/widget-change";
import { toEarlierCells, toTotals } from "@/lib/base/charts/widget-table";
import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { WidgetData } from "@/lib/features/dashboards/browser/client";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import {
  addClick,
  type ClickColumn,
  findClickColumns,
  isClicked,
  isSameClick,
  toCellClick,
} from "@/lib/features/dashboards/browser/widget-click";
import { isNumericField } from "@/lib/features/results/browser/cell-text";
import { toBeforeWords } from "@/lib/features/results/crossfilter/words";
import { formatCount } from "@/lib/platform/browser/format";

type WidgetTableProps = {
  title: string;
  spec: Record<string, unknown>;
  fields: readonly ResultField[];
  rows: ResultRow[];
  /** The server has more. */
  isCut: boolean;
  look: CellLook;
  press?: WidgetPress | undefined;
  /** The same groups an earlier period. */
  before?: WidgetData["before"];
  compare?: Period["compare"];
};

/** More than this is read in the large view, where the grid draws only what is seen. */
const ROWS_MAX = 200;

/** The rows of a widget, with `totals` what they come to, and beside each measure how it has changed where the page is compared. */
export function WidgetTable({ title, spec, fields, rows, isCut, look, press, before, compare }: WidgetTableProps) {
  const pressable = press ? findClickColumns(spec, fields) : [];
  const totals = spec.totals === true && !isCut ? toTotals(spec, fields, rows) : null;
  const earlierOf = toEarlierCells(spec, fields, before?.rows as ResultRow[] | undefined);
  const beforeWords = before && toBeforeWords(before, compare);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: no fields stand in it
    <div className="widget-table" role="group" aria-label={`Rows of ${title || "the table"}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {fields.map((field) => (
              <th key={field.name} scope="col" className={isNumericField(field) ? "r" : undefined}>
                {field.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no more than their place
            <tr key={index}>
              {fields.map((field, column) => {
                const value = row[field.name];
                const earlier = earlierOf(row, column);
                const kind = isNumericField(field) ? "r num" : column === 0 ? "b5" : undefined;
                return (
                  <td key={field.name} className={kind}>
                    {value === null || value === undefined ? (
                      <i className="t3">null</i>
                    ) : (
                      <Cell
                        text={toShownText(value, field, look)}
                        value={value}
                        column={pressable.find((each) => each.column === field.name)}
                        press={press}
                      />
                    )}
                    {earlier && (
                      <small
                        className="widget-change"
                        title={
                          earlier.value === null
                            ? `no value ${beforeWords}`
                            : `${toShownText(earlier.value, field, look)} ${beforeWords}`
                        }
                      >
                        {earlier.value === null ? (
                          "new"
                        ) : earlier.change === null ? null : (
                          <b className={toTone(earlier.change, spec.better)}>{formatChange(earlier.change)}</b>
                        )}
                      </small>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
        {totals && (
          <tfoot>
            <tr>
              {fields.map((field, column) => (
                <td key={field.name} className={isNumericField(field) ? "r num" : undefined}>
                  {totals[column] === undefined
                    ? column === 0
                      ? "Total"
                      : ""
                    : toShownText(totals[column], field, look)}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
      {(isCut || rows.length > ROWS_MAX) && (
        <p className="widget-cut xs t3">
          The first {formatCount(Math.min(rows.length, ROWS_MAX))} of {isCut ? "more than " : ""}
          {formatCount(rows.length)} rows.
        </p>
      )}
    </div>
  );
}

type CellProps = {
  text: string;
  value: CellValue;
  /** Undefined for what stands for nothing in the dataset. */
  column: ClickColumn | undefined;
  press: WidgetPress | undefined;
};

/** A cell's text; one that says what its row stands for narrows the other widgets when it is pressed. */
function Cell({ text, value, column, press }: CellProps) {
  const one = column && press ? toCellClick(column, value) : null;
  if (!column || !press || one === null) return text;
  const click = { [column.field]: one };
  const isOn = isClicked(press.value, click);
  return (
    <button
      type="button"
      className="widget-cell"
      aria-pressed={isOn}
      onClick={(event) => {
        const isAdding = event.shiftKey || event.metaKey || event.ctrlKey;
        press.put((before) => (isAdding ? addClick(before, click) : isSameClick(before, click) ? null : click));
      }}
    >
      {text}
    </button>
  );
}
