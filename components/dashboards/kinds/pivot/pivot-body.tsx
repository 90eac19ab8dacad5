"use client";

import { ChevronDown, ChevronRight } from "lucide-react";
import { type CSSProperties, type MouseEvent, type ReactNode, useId, useMemo } from "react";
import type { KindBodyProps } from "@/components/dashboards/kinds/kind-view";
import { toShownText } from "@/lib/base/values/cell-look";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isClicked } from "@/lib/features/dashboards/browser/widget-click";
import {
  type PivotHead,
  toCutWords,
  toGroupText,
  toHeadCells,
  toHeadText,
  toPivotLayout,
} from "@/lib/features/dashboards/kinds/pivot/layout";
import { isPivotGroup, type PivotMark } from "./pivot-marks";
import { toPlace } from "./use-pivot-grid";
import { type PivotTable, type PivotTableProps, usePivotTable } from "./use-pivot-table";
import "./pivot.css";

/** Groups in rows and columns. A click on a head filters the other widgets. */
export function PivotBody({ title, spec, data, look, period, press }: KindBodyProps) {
  const layout = useMemo(() => toPivotLayout(spec, data), [spec, data]);
  if (layout === null) return <p className="widget-said">No rows selected. Add a row and a measure.</p>;
  return <PivotGridView {...{ title, spec, layout, look, press }} grain={period.grain} />;
}

function PivotGridView(props: PivotTableProps) {
  const table = usePivotTable(props);
  const summaryId = useId();
  const { layout, grid, menu } = table;
  const { columnFields, measures, shown } = layout;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the cells of the table take the focus */}
      <div
        className="pivot"
        onContextMenu={(event: MouseEvent) => {
          const place = toPlace(event.target);
          if (place !== null) menu.openHere(table.markOf(place), event);
        }}
        {...menu.near}
      >
        <p id={summaryId} className="sr-only">
          {`${shown.rows} row groups${columnFields.length > 0 ? `, ${shown.columns} column groups` : ""}, ${measures.map(({ name }) => name).join(", ")}.`}
        </p>
        <table
          ref={grid.gridRef}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take the focus is a grid
          role="grid"
          aria-label={props.title || "Pivot table"}
          aria-describedby={summaryId}
          onKeyDown={grid.onKeyDown}
        >
          <thead>
            {Array.from({ length: table.headLines }, (_, line) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
              <HeadLine key={line} table={table} line={line} />
            ))}
          </thead>
          <tbody>
            {table.rows.map((row, index) => (
              <Row key={row.key} table={table} row={row} line={table.headLines + index} />
            ))}
          </tbody>
        </table>
      </div>
      <Foot table={table} />
      {menu.layer}
    </>
  );
}

/** A line of column heads, or the line of the measures below them. */
function HeadLine({ table, line }: { table: PivotTable; line: number }) {
  const { layout, pairs, headLines, columnUnits, look, grid } = table;
  const { rowFields, columnFields, measures } = layout;
  return (
    <tr style={{ "--line": line } as CSSProperties}>
      {line === 0 && (
        <th scope="col" rowSpan={headLines} className="pivot-corner" {...grid.cellProps(0, 0)}>
          {rowFields.map(({ name }) => name).join(", ")}
        </th>
      )}
      {line < columnFields.length
        ? toHeadCells(layout, line).map(({ at, span, lines, head: column, isTotal }) => (
            <th
              key={at}
              scope={span > 1 ? "colgroup" : "col"}
              colSpan={span * measures.length}
              rowSpan={lines}
              className={isTotal ? "r pivot-total" : "r"}
              {...grid.cellProps(line, at * measures.length + 1)}
            >
              <Head table={table} mark={{ row: null, column, measure: null }}>
                {isTotal ? "Total" : <GroupText {...{ column, columnFields, columnUnits, look }} />}
                {table.runningColumns.has(column.key) && <span className="t3">*</span>}
              </Head>
            </th>
          ))
        : pairs.map(({ column, measure }, at) => (
            <th
              key={column.key + measure.name}
              scope="col"
              className={column.isTotal ? "r pivot-total" : "r"}
              {...grid.cellProps(line, at + 1)}
            >
              {measure.name}
            </th>
          ))}
    </tr>
  );
}

type RowProps = { table: PivotTable; row: PivotHead; line: number };

/** A row: its head, and its value in each column. */
function Row({ table, row, line }: RowProps) {
  const { layout, pairs, rowUnits, look, heat, hasGroups, grid } = table;
  const depth = hasGroups ? Math.max(0, row.values.length - 1) : 0;
  const mark = { row, column: null, measure: null };
  const isGroup = isPivotGroup(row);
  const isClosed = table.isClosed(row);
  return (
    <tr className={row.values.length === 0 ? "pivot-all" : row.isTotal ? "pivot-group" : ""}>
      <th
        scope="row"
        style={{ "--depth": depth } as CSSProperties}
        aria-expanded={isGroup ? !isClosed : undefined}
        {...grid.cellProps(line, 0)}
      >
        {isGroup ? (
          <button
            type="button"
            className="pivot-toggle"
            tabIndex={-1}
            aria-label={isClosed ? `Expand ${table.nameOf(mark)}` : `Collapse ${table.nameOf(mark)}`}
            onClick={() => table.toggle(row)}
          >
            {isClosed ? <ChevronRight className="xs" /> : <ChevronDown className="xs" />}
          </button>
        ) : (
          hasGroups && row.values.length > 0 && <span className="pivot-gap" />
        )}
        <Head table={table} mark={mark}>
          <RowText {...{ row, rowFields: layout.rowFields, rowUnits, look }} isPath={!hasGroups} />
          {table.isRunningRow(row) && <span className="t3">*</span>}
        </Head>
      </th>
      {pairs.map(({ column, measure }, at) => (
        <td
          key={column.key + measure.name}
          className={toCellClass(row, column, table.runningColumns.has(column.key))}
          style={{ "--heat": `${heat?.of(row, column, measure) ?? 0}%` } as CSSProperties}
          {...grid.cellProps(line, at + 1)}
        >
          <CellText value={layout.cellOf(row, column, measure)} field={measure} look={look} />
        </td>
      ))}
    </tr>
  );
}

/** Notes on cut and incomplete data, and the scale of the shading. */
function Foot({ table: { layout, rows, heat, look, runningColumns, isRunningRow } }: { table: PivotTable }) {
  const cut = toCutWords(layout.shown);
  const hasRunning = runningColumns.size > 0 || rows.some(isRunningRow);
  const only = layout.measures.length === 1 ? layout.measures[0] : undefined;
  const most = (only && heat?.mostOf(only)) ?? null;
  if (cut === null && !hasRunning && most === null) return null;
  return (
    <div className="pivot-foot xs t2">
      <span>{[cut, hasRunning ? "* This period is incomplete." : null].filter(Boolean).join(" ")}</span>
      {most !== null && only && (
        <span className="pivot-scale num">
          Low <i /> {toShownText(most, only, look)}
        </span>
      )}
    </div>
  );
}

type HeadProps = { table: PivotTable; mark: PivotMark; children: ReactNode };

/** The text of a head. A click filters the other widgets. */
function Head({ table: { press, clickOf, filter }, mark, children }: HeadProps) {
  const click = press ? clickOf(mark) : null;
  if (click === null) return children;
  const value = press?.value ?? null;
  const isSame = value !== null && Object.keys(value).length === Object.keys(click).length;
  return (
    <button
      type="button"
      className="widget-cell"
      tabIndex={-1}
      aria-pressed={isSame && isClicked(value, click)}
      onClick={(event) => filter(mark, event.shiftKey || event.metaKey || event.ctrlKey)}
    >
      {children}
    </button>
  );
}

type Looked = Pick<KindBodyProps, "look">;
type GroupTextProps = Looked & { column: PivotHead; columnFields: ResultField[]; columnUnits: (string | null)[] };

function GroupText({ column: { values }, columnFields, columnUnits, look }: GroupTextProps) {
  return <Group value={values.at(-1)} field={columnFields[values.length - 1]} unit={columnUnits[values.length - 1]} look={look} />; // biome-ignore format: one look
}

type RowTextProps = Looked & { row: PivotHead; rowFields: ResultField[]; rowUnits: (string | null)[]; isPath: boolean };

function RowText({ row, rowFields, rowUnits, look, isPath }: RowTextProps) {
  const { values } = row;
  if (values.length === 0) return "Total";
  if (isPath && values.length > 1) return toHeadText(row, rowFields, rowUnits, look);
  return <Group value={values.at(-1)} field={rowFields[values.length - 1]} unit={rowUnits[values.length - 1]} look={look} />; // biome-ignore format: one look
}

type GroupProps = Looked & { value: CellValue | undefined; field: ResultField | undefined; unit: string | null | undefined }; // biome-ignore format: one look

function Group({ value = null, field, unit = null, look }: GroupProps) {
  if (value === null || field === undefined) return <i className="t3">null</i>;
  return toGroupText(value, field, unit, look);
}

function CellText({ value, field, look }: Looked & { value: CellValue | undefined; field: ResultField }) {
  if (value === undefined) return null;
  return value === null ? <i className="t3">null</i> : toShownText(value, field, look);
}

function toCellClass(row: PivotHead, column: PivotHead, isRunning: boolean): string {
  const isTotal = row.isTotal || column.isTotal;
  return ["r num", isTotal && "pivot-total", column.isTotal && "pivot-sum", isRunning && "pivot-running"]
    .filter(Boolean)
    .join(" ");
}
