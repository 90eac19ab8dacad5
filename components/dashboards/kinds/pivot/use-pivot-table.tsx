import { Copy, Funnel, Rows3 } from "lucide-react";
import { useMemo, useState } from "react";
import type { KindBodyProps } from "@/components/dashboards/kinds/kind-view";
import { useContextMenu } from "@/components/ui/context-menu";
import { copyText } from "@/components/ui/copy-text";
import { MenuItem } from "@/components/ui/menu";
import { useNow } from "@/components/ui/use-browser";
import { zoneOf } from "@/lib/base/charts/moments";
import { toShownText } from "@/lib/base/values/cell-look";
import { toPlainText } from "@/lib/base/values/cell-text";
import { addClick, isSameClick } from "@/lib/features/dashboards/browser/widget-click";
import { type PivotHead, type PivotLayout, toHeadText, toHeat, toUnits } from "@/lib/features/dashboards/kinds/pivot/layout"; // biome-ignore format: one look
import { isIncomplete, toClickColumns, toMarkClick } from "./pivot-click";
import { isPivotGroup, type PivotMark, toPivotGrid, toPivotMark } from "./pivot-marks";
import { type PivotPlace, usePivotGrid } from "./use-pivot-grid";

const MINUTE_MS = 60_000;

export type PivotTableProps = Pick<KindBodyProps, "title" | "spec" | "look" | "press"> & {
  layout: PivotLayout;
  grain: string | undefined;
};

export type PivotTable = ReturnType<typeof usePivotTable>;

/** Returns what a pivot table shows, and the actions of its heads and cells. */
export function usePivotTable({ spec, layout, look, press, grain }: PivotTableProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const now = useNow(true, MINUTE_MS);
  const { rowFields, columnFields } = layout;
  const units = toUnits(spec, grain);
  const rowUnits = units.slice(0, rowFields.length);
  const columnUnits = units.slice(rowFields.length);
  const clickColumns = toClickColumns(spec, layout, units);
  const heat = useMemo(() => (spec.heat === false ? null : toHeat(layout)), [spec.heat, layout]);
  const shown = toPivotGrid(layout, closed);

  const markOf = (place: PivotPlace) => toPivotMark(shown, layout, place);
  const clickOf = ({ row, column }: PivotMark) => toMarkClick(clickColumns, row?.values ?? [], column?.values ?? []);
  const filter = (mark: PivotMark, isAdding = false) => {
    const click = clickOf(mark);
    if (click === null || !press) return;
    press.put((before) => (isAdding ? addClick(before, click) : isSameClick(before, click) ? null : click));
  };
  const nameOf = ({ row, column }: PivotMark) =>
    [
      ...(row && row.values.length > 0 ? [toHeadText(row, rowFields, rowUnits, look)] : []),
      ...(column && column.values.length > 0 ? [toHeadText(column, columnFields, columnUnits, look)] : []),
    ].join(", ") || "Total";
  const toggle = ({ key }: PivotHead) =>
    setClosed((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));

  const menu = usePivotMenu({ layout, look, press, clickOf, nameOf, filter });
  const grid = usePivotGrid(shown.headLines + shown.rows.length, shown.pairs.length + 1, {
    onRows: (place) => press?.showRows?.(clickOf(markOf(place))),
    onFilter: (place) => filter(markOf(place)),
    onToggle: (place) => {
      const { row } = markOf(place);
      if (row && isPivotGroup(row)) toggle(row);
    },
    onMenu: (place, cell) => menu.openUnder(markOf(place), cell),
  });
  const clock = now === null ? null : { now, zone: zoneOf(look) };
  const running = clock === null ? [] : layout.columns.filter((each) => isIncomplete(each, columnFields, columnUnits, clock)); // biome-ignore format: one condition
  const runningColumns: ReadonlySet<string> = new Set(running.map(({ key }) => key));
  return {
    layout,
    look,
    press,
    heat,
    ...shown,
    rowUnits,
    columnUnits,
    hasGroups: rowFields.length > 1 && spec.subtotals !== false,
    grid,
    menu,
    markOf,
    clickOf,
    nameOf,
    filter,
    toggle,
    isClosed: ({ key }: PivotHead) => closed.has(key),
    /** Keys of the columns whose period is not over yet. */
    runningColumns,
    isRunningRow: (row: PivotHead) => clock !== null && isIncomplete(row, rowFields, rowUnits, clock),
  };
}

type PivotMenuProps = Pick<PivotTableProps, "layout" | "look" | "press"> & {
  clickOf: (mark: PivotMark) => ReturnType<typeof toMarkClick>;
  nameOf: (mark: PivotMark) => string;
  filter: (mark: PivotMark) => void;
};

/** Returns the context menu of heads and cells. */
function usePivotMenu({ layout, look, press, clickOf, nameOf, filter }: PivotMenuProps) {
  return useContextMenu<PivotMark>((mark) => {
    const { row, column, measure } = mark;
    const click = clickOf(mark);
    const value = row && column && measure ? layout.cellOf(row, column, measure) : undefined;
    const shown = measure && value !== undefined && value !== null ? toShownText(value, measure, look) : null;
    const isOn = click !== null && press !== undefined && isSameClick(press.value, click);
    return {
      about: shown === null ? nameOf(mark) : `${nameOf(mark)}: ${shown}`,
      items: (
        <>
          {press?.showRows && (
            <MenuItem icon={<Rows3 />} onSelect={() => press.showRows?.(click)}>
              See these rows
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
}
