"use client";

import { ChevronDown, ChevronRight, Copy, Funnel, Rows3 } from "lucide-react";
import { type CSSProperties, type MouseEvent, type ReactNode, useId, useMemo, useState } from "react";
import type { KindBodyProps } from "@/components/dashboards/kinds/kind-view";
import { useContextMenu } from "@/components/ui/context-menu";
import { copyText } from "@/components/ui/copy-text";
import { MenuItem } from "@/components/ui/menu";
import { useNow } from "@/components/ui/use-browser";
import { zoneOf } from "@/lib/base/charts/moments";
import { toShownText } from "@/lib/base/values/cell-look";
import { toPlainText } from "@/lib/base/values/cell-text";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import { addClick, isClicked, isSameClick } from "@/lib/features/dashboards/browser/widget-click";
import {
  isWithin,
  type PivotHead,
  type PivotLayout,
  toCutWords,
  toGroupText,
  toHeadCells,
  toHeadText,
  toHeat,
  toPivotLayout,
  toUnits,
} from "@/lib/features/dashboards/kinds/pivot/layout";
import { isIncomplete, toClickColumns, toMarkClick } from "./pivot-click";
import { type PivotPlace, toPlace, usePivotGrid } from "./use-pivot-grid";
import "./pivot.css";

/** A head or a cell of the table. */
type Mark = { row: PivotHead | null; column: PivotHead | null; measure: ResultField | null };

const MINUTE_MS = 60_000;

/** Groups in rows and columns. A click on a head filters the other widgets. */
export function PivotBody({ title, spec, data, look, period, press }: KindBodyProps) {
  const layout = useMemo(() => toPivotLayout(spec, data), [spec, data]);
  if (layout === null) return <p className="widget-said">No rows selected. Add a row and a measure.</p>;
  return <PivotTable {...{ title, spec, layout, look, press }} grain={period.grain} />;
}

type PivotTableProps = Pick<KindBodyProps, "title" | "spec" | "look" | "press"> & {
  layout: PivotLayout;
  grain: string | undefined;
};

function PivotTable({ title, spec, layout, look, press, grain }: PivotTableProps) {
  const summaryId = useId();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const now = useNow(true, MINUTE_MS);
  const { rowFields, columnFields, measures, columns } = layout;
  const units = toUnits(spec, grain);
  const rowUnits = units.slice(0, rowFields.length);
  const columnUnits = units.slice(rowFields.length);
  const clickColumns = toClickColumns(spec, layout, units);
  const heat = useMemo(() => (spec.heat === false ? null : toHeat(layout)), [spec.heat, layout]);
  const closedHeads = layout.rows.filter(({ key }) => closed.has(key));
  const rows = layout.rows.filter((row) => !closedHeads.some((head) => isWithin(row, head)));
  const hasMeasureLine = measures.length > 1 || columnFields.length === 0;
  const headLines = columnFields.length + (hasMeasureLine ? 1 : 0);
  const pairs = columns.flatMap((column) => measures.map((measure) => ({ column, measure })));
  const hasGroups = rowFields.length > 1 && spec.subtotals !== false;

  const markOf = ({ line, column }: PivotPlace): Mark => {
    const pair = column === 0 ? undefined : pairs[column - 1];
    const isHead = line < headLines;
    const head = pair?.column ?? null;
    return {
      row: isHead ? null : (rows[line - headLines] ?? null),
      // The head of a group has the first values of its columns.
      column: head && line < columnFields.length ? { ...head, values: head.values.slice(0, line + 1) } : head,
      measure: isHead ? null : (pair?.measure ?? null),
    };
  };
  const toClick = (mark: Mark) => toMarkClick(clickColumns, mark.row?.values ?? [], mark.column?.values ?? []);
  const filter = (mark: Mark, isAdding = false) => {
    const click = toClick(mark);
    if (click === null || !press) return;
    press.put((before) => (isAdding ? addClick(before, click) : isSameClick(before, click) ? null : click));
  };
  const cellOf = ({ row, column, measure }: Mark) =>
    row && column && measure ? layout.cellOf(row, column, measure) : undefined;
  const nameOf = ({ row, column }: Mark) =>
    [
      ...(row && row.values.length > 0 ? [toHeadText(row, rowFields, rowUnits, look)] : []),
      ...(column && column.values.length > 0 ? [toHeadText(column, columnFields, columnUnits, look)] : []),
    ].join(", ") || "Total";
  const menu = useContextMenu<Mark>((mark) => {
    const click = toClick(mark);
    const value = cellOf(mark);
    const shown = mark.measure && value !== undefined && value !== null ? toShownText(value, mark.measure, look) : null;
    const isOn = click !== null && press !== undefined && isSameClick(press.value, click);
    return {
      about: shown === null ? nameOf(mark) : `${nameOf(mark)}: ${shown}`,
      items: (
        <>
          {press?.showRows && (
            <MenuItem icon={<Rows3 />} onSelect={() => press.showRows?.(click)}>
              View underlying rows
            </MenuItem>
          )}
          {press && click !== null && (
            <MenuItem icon={<Funnel />} onSelect={() => filter(mark)}>
              {isOn ? "Remove filter" : `Filter dashboard to ${nameOf(mark)}`}
            </MenuItem>
          )}
          <MenuItem
            icon={<Copy />}
            onSelect={() => void copyText(value === undefined ? nameOf(mark) : toPlainText(value))}
          >
            Copy value
          </MenuItem>
        </>
      ),
    };
  });
  const toggle = ({ key }: PivotHead) =>
    setClosed((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));
  const isGroup = (row: PivotHead) => row.isTotal && row.values.length > 0;
  const grid = usePivotGrid(headLines + rows.length, pairs.length + 1, {
    onRows: (place) => press?.showRows?.(toClick(markOf(place))),
    onFilter: (place) => filter(markOf(place)),
    onToggle: (place) => {
      const { row } = markOf(place);
      if (row && isGroup(row)) toggle(row);
    },
    onMenu: (place, cell) => menu.openUnder(markOf(place), cell),
  });
  const zone = zoneOf(look);
  const isRunning = (head: PivotHead, fields: readonly ResultField[], of: readonly (string | null)[]) =>
    now !== null && isIncomplete(head, fields, of, { now, zone });
  const runningColumns = new Set(
    columns.filter((column) => isRunning(column, columnFields, columnUnits)).map(({ key }) => key),
  );
  const hasRunning = runningColumns.size > 0 || rows.some((row) => isRunning(row, rowFields, rowUnits));
  const head = (mark: Mark, text: ReactNode) => (
    <Head click={press ? toClick(mark) : null} value={press?.value ?? null} onClick={(add) => filter(mark, add)}>
      {text}
    </Head>
  );
  const cut = toCutWords(layout.shown);
  const only = measures.length === 1 ? measures[0] : undefined;
  const most = (only && heat?.mostOf(only)) ?? null;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the cells of the table take the focus */}
      <div
        className="pivot"
        onContextMenu={(event: MouseEvent) => {
          const place = toPlace(event.target);
          if (place !== null) menu.openHere(markOf(place), event);
        }}
        {...menu.near}
      >
        <p id={summaryId} className="sr-only">
          {`${layout.shown.rows} row groups${columnFields.length > 0 ? `, ${layout.shown.columns} column groups` : ""}, ${measures.map(({ name }) => name).join(", ")}.`}
        </p>
        <table
          ref={grid.gridRef}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take the focus is a grid
          role="grid"
          aria-label={title || "Pivot table"}
          aria-describedby={summaryId}
          onKeyDown={grid.onKeyDown}
        >
          <thead>
            {Array.from({ length: headLines }, (_, line) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
              <tr key={line} style={{ "--line": line } as CSSProperties}>
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
                        {head(
                          { row: null, column, measure: null },
                          <>
                            {isTotal ? "Total" : <GroupText {...{ column, columnFields, columnUnits, look }} />}
                            {runningColumns.has(column.key) && <span className="t3">*</span>}
                          </>,
                        )}
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
            ))}
          </thead>
          <tbody>
            {rows.map((row, index) => {
              const line = headLines + index;
              const depth = hasGroups ? Math.max(0, row.values.length - 1) : 0;
              const mark = { row, column: null, measure: null };
              const isClosed = closed.has(row.key);
              return (
                <tr key={row.key} className={row.values.length === 0 ? "pivot-all" : row.isTotal ? "pivot-group" : ""}>
                  <th
                    scope="row"
                    style={{ "--depth": depth } as CSSProperties}
                    aria-expanded={isGroup(row) ? !isClosed : undefined}
                    {...grid.cellProps(line, 0)}
                  >
                    {isGroup(row) ? (
                      <button
                        type="button"
                        className="pivot-toggle"
                        tabIndex={-1}
                        aria-label={isClosed ? `Expand ${nameOf(mark)}` : `Collapse ${nameOf(mark)}`}
                        onClick={() => toggle(row)}
                      >
                        {isClosed ? <ChevronRight className="xs" /> : <ChevronDown className="xs" />}
                      </button>
                    ) : (
                      hasGroups && row.values.length > 0 && <span className="pivot-gap" />
                    )}
                    {head(
                      mark,
                      <>
                        <RowText {...{ row, rowFields, rowUnits, look }} isPath={!hasGroups} />
                        {isRunning(row, rowFields, rowUnits) && <span className="t3">*</span>}
                      </>,
                    )}
                  </th>
                  {pairs.map(({ column, measure }, at) => (
                    <td
                      key={column.key + measure.name}
                      className={toCellClass(row, column, runningColumns.has(column.key))}
                      style={{ "--heat": `${heat?.of(row, column, measure) ?? 0}%` } as CSSProperties}
                      {...grid.cellProps(line, at + 1)}
                    >
                      <CellText value={layout.cellOf(row, column, measure)} field={measure} look={look} />
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {(cut !== null || hasRunning || most !== null) && (
        <div className="pivot-foot xs t2">
          <span>{[cut, hasRunning ? "* This period is incomplete." : null].filter(Boolean).join(" ")}</span>
          {most !== null && only && (
            <span className="pivot-scale num">
              Low <i /> {toShownText(most, only, look)}
            </span>
          )}
        </div>
      )}
      {menu.layer}
    </>
  );
}

type HeadProps = {
  /** The filter of the head; null where it cannot filter. */
  click: ClickValue | null;
  value: ClickValue | null;
  onClick: (isAdding: boolean) => void;
  children: ReactNode;
};

/** The text of a head. A click filters the other widgets. */
function Head({ click, value, onClick, children }: HeadProps) {
  if (click === null) return children;
  const isSame = value !== null && Object.keys(value).length === Object.keys(click).length;
  return (
    <button
      type="button"
      className="widget-cell"
      tabIndex={-1}
      aria-pressed={isSame && isClicked(value, click)}
      onClick={(event) => onClick(event.shiftKey || event.metaKey || event.ctrlKey)}
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
