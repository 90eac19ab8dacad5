"use client";

import type { MouseEvent } from "react";
import { useMarkMenu } from "@/components/dashboards/use-mark-menu";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { formatChange, toTone } from "@/lib/base/charts/widget-change";
import { toEarlierCells, toTotals } from "@/lib/base/charts/widget-table";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import {
  addClick,
  type ClickColumn,
  findClickColumns,
  isClicked,
  isSameClick,
  toCellClick,
  toRowClick,
} from "@/lib/features/dashboards/browser/widget-click";
import type { WidgetData } from "@/lib/features/dashboards/schema";
import { isNumericField } from "@/lib/features/results/browser/cell-text";
import { toBeforeWords } from "@/lib/features/results/crossfilter/words";
import { formatCount } from "@/lib/platform/browser/format";
import "./table.css";

type WidgetTableProps = {
  title: string;
  spec: Record<string, unknown>;
  fields: readonly ResultField[];
  rows: ResultRow[];
  /** Whether the server has more rows. */
  isCut: boolean;
  look: CellLook;
  press?: WidgetPress | undefined;
  /** The same groups in the previous period. */
  before?: WidgetData["before"];
  compare?: Period["compare"];
};

/** Maximum number of rows. The large view shows more, since its grid only renders visible rows. */
const ROWS_MAX = 200;

/** The rows of a widget, with totals for `totals`, and the change of each measure on a page with a comparison. */
export function WidgetTable({ title, spec, fields, rows, isCut, look, press, before, compare }: WidgetTableProps) {
  const formats = readFormats(spec);
  const textOf = (value: CellValue | undefined, field: ResultField) =>
    formatValue(value, field, formats[field.name], look);
  const pressable = press ? findClickColumns(spec, fields) : [];
  const menu = useMarkMenu(press, spec, fields);
  // A row that is no group is a row of the dataset already.
  const isGrouped = Array.isArray(spec.dimensions) && spec.dimensions.length > 0;
  const onMenu = (row: ResultRow, event: MouseEvent) => {
    const click = isGrouped ? toRowClick(pressable, row) : null;
    const about = pressable.map(({ column }) =>
      formatValue(row[column], toField(fields, column), formats[column], look),
    );
    if (click !== null) menu.open({ click, about: about.join(", ") }, event);
  };
  const totals = spec.totals === true && !isCut ? toTotals(spec, fields, rows) : null;
  const earlierOf = toEarlierCells(spec, fields, before?.rows as ResultRow[] | undefined);
  const beforeWords = before && toBeforeWords(before, compare);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: no fields stand in it
    <div className="widget-table" role="group" aria-label={`${title || "Table"} rows`} tabIndex={0} {...menu.near}>
      {menu.layer}
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
            <tr key={index} onContextMenu={(event) => onMenu(row, event)}>
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
                        text={textOf(value, field)}
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
                            ? `No data for ${beforeWords}`
                            : `vs ${textOf(earlier.value, field)}, ${beforeWords}`
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
                  {totals[column] === undefined ? (column === 0 ? "Total" : "") : textOf(totals[column], field)}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
      {(isCut || rows.length > ROWS_MAX) && (
        <p className="widget-cut xs t3">
          First {formatCount(Math.min(rows.length, ROWS_MAX))} of {formatCount(rows.length)}
          {isCut ? "+" : ""} rows
        </p>
      )}
    </div>
  );
}

function toField(fields: readonly ResultField[], name: string): ResultField {
  return fields.find((field) => field.name === name) ?? { name, type: "string" };
}

type CellProps = {
  text: string;
  value: CellValue;
  /** Undefined where the column maps to no column of the dataset. */
  column: ClickColumn | undefined;
  press: WidgetPress | undefined;
};

/** The text of a cell. A click on a dimension filters the other widgets. */
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
