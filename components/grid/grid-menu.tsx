"use client";

import {
  ArrowDown,
  ArrowUp,
  ArrowUpRight,
  Braces,
  ChartColumn,
  ChevronsDown,
  ChevronsUp,
  Copy,
  EyeOff,
  Filter,
  FilterX,
  Hash,
  List,
  ListFilter,
  PanelRight,
  Pin,
  PinOff,
  Search,
  Table2,
  Terminal,
  Type,
  Waypoints,
} from "lucide-react";
import type { ReactNode } from "react";
import { stepColumn } from "@/components/grid/grid-head";
import type { GridColumn, ResultTable } from "@/components/grid/use-result-columns";
import type { ContextItems } from "@/components/ui/context-menu";
import { copyName } from "@/components/ui/copy-text";
import { MenuBranch, MenuItem, MenuLine } from "@/components/ui/menu";
import { type MenuAction, MenuActions } from "@/components/ui/menu-actions";
import type { Condition, ConditionOp } from "@/lib/base/sql/conditions";
import type { CellValue } from "@/lib/base/values/json-rows";
import { toCellText } from "@/lib/features/results/browser/cell-text";
import { toConditionKind, toFilterValue } from "@/lib/features/results/browser/column-filter";
import type { CopyFormat } from "@/lib/features/results/browser/copy-rows";
import type { CellRange } from "@/lib/features/results/browser/grid-selection";
import { countCells, toBounds } from "@/lib/features/results/browser/grid-selection";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";
import { formatCount } from "@/lib/platform/browser/format";

/** Actions of the grid's menus, implemented by the grid's owner. */
export type GridActions = {
  sort: (sort: SortBy | null) => void;
  /** Keeps only rows whose value in the column meets the condition. */
  filter: (column: number, condition: Condition) => void;
  /** Shows the input of a column filter. */
  typeFilter: (column: number) => void;
  copy: (format: CopyFormat) => void;
  openRow: (row: number, column: number) => void;
  /** Shows the statistics of a column. */
  showStats: (column: number) => void;
  /** Opens the search within a column. */
  find: (column: number) => void;
};

/** Links to the rows that a cell's value refers to, and to those that refer to its row. */
export type CellLinks = Record<"to" | "from", { label: string; open: () => void }[]>;

const SHOWN_VALUE_LETTERS = 32;

const COPIES: readonly { format: CopyFormat; label: string; icon: ReactNode }[] = [
  { format: "tsv", label: "TSV", icon: <Type /> },
  { format: "csv", label: "CSV with headers", icon: <Table2 /> },
  { format: "json", label: "JSON", icon: <Braces /> },
  { format: "markdown", label: "Markdown table", icon: <Hash /> },
  { format: "insert", label: "INSERT statements", icon: <Terminal /> },
  { format: "list", label: "IN (…) list", icon: <List /> },
];

type CellMenu = {
  row: number;
  value: CellValue | undefined;
  /** Distinct values of the selection, if it has several within this column. */
  selected: (string | null)[] | null;
  column: GridColumn;
  range: CellRange | null;
  sort: SortBy | null;
  table: ResultTable;
  actions: GridActions;
  links?: CellLinks;
  /** Items that edit the cell; absent where rows cannot be edited. */
  edits?: ReactNode;
  rowActions?: readonly MenuAction[] | undefined;
};

/** Returns the menu of a cell and of the selection that contains it. */
export function toCellMenu({
  row,
  value,
  selected,
  column,
  range,
  sort,
  table,
  actions,
  links,
  edits,
  rowActions = [],
}: CellMenu): ContextItems {
  const { field, index } = column;
  const text = value === null || value === undefined ? "null" : toCellText(value, field);
  const short = text.length > SHOWN_VALUE_LETTERS ? `${text.slice(0, SHOWN_VALUE_LETTERS)}…` : text;
  const count = range === null ? 1 : countCells(toBounds(range));
  const exact = toFilterValue(value);
  const kind = toConditionKind(field);
  const isOrdered = exact !== null && (kind === "number" || kind === "date" || kind === "time");
  const filter = (op: ConditionOp) => actions.filter(index, { op, value: exact });
  const items = (
    <>
      <MenuActions actions={rowActions} />
      {rowActions.length > 0 && <MenuLine />}
      {edits}
      <MenuItem icon={<Filter />} onSelect={() => filter("is")}>
        Filter by this value
      </MenuItem>
      {selected !== null && (
        <MenuItem icon={<ListFilter />} onSelect={() => actions.filter(index, { op: "any", values: selected })}>
          {`Filter by these ${formatCount(selected.length)}`}
        </MenuItem>
      )}
      <MenuItem icon={<FilterX />} onSelect={() => filter("not")}>
        Exclude this value
      </MenuItem>
      {isOrdered && (
        <>
          <MenuItem icon={<ChevronsUp />} onSelect={() => filter("least")}>
            {kind === "number" ? `At least ${short}` : `Since ${short}`}
          </MenuItem>
          <MenuItem icon={<ChevronsDown />} onSelect={() => filter("most")}>
            {kind === "number" ? `At most ${short}` : `Until ${short}`}
          </MenuItem>
        </>
      )}
      <MenuLine />
      <MenuBranch icon={<Copy />} label="Copy as">
        {COPIES.map(({ format, label, icon }) => (
          <MenuItem
            key={format}
            icon={icon}
            keys={format === "tsv" ? "mod+c" : undefined}
            onSelect={() => actions.copy(format)}
          >
            {label}
          </MenuItem>
        ))}
      </MenuBranch>
      <MenuLine />
      <ColumnItems column={column} sort={sort} table={table} actions={actions} />
      <MenuLine />
      {links?.to.map(({ label, open }, i) => (
        <MenuItem key={label} icon={<ArrowUpRight />} keys={i === 0 ? "G" : undefined} onSelect={open}>
          {`Go to ${label}`}
        </MenuItem>
      ))}
      {links !== undefined && links.from.length > 0 && (
        <MenuBranch icon={<Waypoints />} label="Referencing rows">
          {links.from.map(({ label, open }) => (
            <MenuItem key={label} icon={<Table2 />} onSelect={open}>
              {label}
            </MenuItem>
          ))}
        </MenuBranch>
      )}
      <MenuItem
        icon={<PanelRight />}
        keys={edits ? "shift+enter" : "enter"}
        onSelect={() => actions.openRow(row, index)}
      >
        Open row
      </MenuItem>
    </>
  );
  const cells = count > 1 ? `, ${formatCount(count)} cells selected` : "";
  return { about: `${field.name} = ${short}${cells}`, items };
}

type ColumnMenu = Pick<CellMenu, "column" | "sort" | "table" | "actions"> & { order: string[] };

/** Menu of a column. */
export function ColumnMenu({ column, sort, table, actions, order }: ColumnMenu) {
  const { field, index } = column;
  return (
    <>
      <ColumnItems column={column} sort={sort} table={table} actions={actions} />
      <MenuLine />
      <MenuItem onSelect={() => stepColumn(table, order, field.name, -1)}>Move left</MenuItem>
      <MenuItem onSelect={() => stepColumn(table, order, field.name, 1)}>Move right</MenuItem>
      <MenuLine />
      <MenuItem icon={<Filter />} keys="F" onSelect={() => actions.typeFilter(index)}>
        Filter this column
      </MenuItem>
      <MenuItem icon={<Search />} keys="mod+f" onSelect={() => actions.find(index)}>
        Find in this column
      </MenuItem>
      <MenuItem icon={<ChartColumn />} onSelect={() => actions.showStats(index)}>
        Column statistics
      </MenuItem>
      <MenuItem icon={<Copy />} onSelect={() => void copyName(field.name)}>
        Copy name
      </MenuItem>
    </>
  );
}

function ColumnItems({ column, sort, table, actions }: Pick<CellMenu, "column" | "sort" | "table" | "actions">) {
  const { field, index, isPinned } = column;
  const isSorted = sort?.column === index;
  const isLast = table.getVisibleLeafColumns().length === 1;
  return (
    <>
      <MenuItem icon={<ArrowUp />} onSelect={() => actions.sort({ column: index, isDescending: false })}>
        Sort ascending
      </MenuItem>
      <MenuItem icon={<ArrowDown />} onSelect={() => actions.sort({ column: index, isDescending: true })}>
        Sort descending
      </MenuItem>
      {isSorted && <MenuItem onSelect={() => actions.sort(null)}>Original order</MenuItem>}
      <MenuItem
        icon={isPinned ? <PinOff /> : <Pin />}
        onSelect={() => table.getColumn(field.name)?.pin(isPinned ? false : "start")}
      >
        {isPinned ? "Unpin" : "Pin to the left"}
      </MenuItem>
      {!isLast && (
        <MenuItem icon={<EyeOff />} onSelect={() => table.getColumn(field.name)?.toggleVisibility(false)}>
          Hide
        </MenuItem>
      )}
    </>
  );
}
