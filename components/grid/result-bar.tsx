"use client";

import { Braces, ChartLine, Copy, Download, Grid3x3, LayoutDashboard, ListFilter, Rows3, Table2 } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import type { View } from "@/components/grid/view-choice";
import { Menu, MenuItem } from "@/components/ui/menu";
import { Segments } from "@/components/ui/segments";
import { Tip } from "@/components/ui/tip";
import type { CopyFormat } from "@/lib/features/results/browser/copy-rows";

const FORMAT_NAMES: Record<CopyFormat, string> = {
  tsv: "TSV, for spreadsheets",
  csv: "CSV",
  json: "JSON",
  markdown: "Markdown",
  insert: "INSERT statement",
  list: "IN (…) list",
};

const VIEW_NAMES: Record<View, { icon: ReactNode; label: string }> = {
  cards: { icon: <Rows3 className="s" />, label: "Cards" },
  table: { icon: <Table2 className="s" />, label: "Table" },
  chart: { icon: <ChartLine className="s" />, label: "Chart" },
  pivot: { icon: <Grid3x3 className="s" />, label: "Pivot" },
  json: { icon: <Braces className="s" />, label: "JSON" },
};

/** Delay before many rows are filtered: at every key, the filter would slow typing down. */
const FILTER_AFTER_MS = 200;

type ResultBarProps = {
  views: View[];
  view: View;
  onView: (view: View) => void;
  filter: string;
  /** There are so many rows that the filter waits for a pause in typing. */
  isFilterSlow: boolean;
  onFilter: (filter: string) => void;
  /** Note on the column filters; null without any. */
  filtersNote: ReactNode;
  columnsMenu: ReactNode;
  onCopy: (format: CopyFormat) => void;
  /** Menu of results to compare with. */
  compareMenu: ReactNode;
  onExport: () => void;
  onAdd: () => void;
  /** Reason why the result cannot become a widget; null when it can. */
  addRefusal: string | null;
};

/** Bar above a result: views, filter, columns, copy and export. */
export function ResultBar(props: ResultBarProps) {
  const { views, view, onView, filter, isFilterSlow, onFilter, filtersNote, columnsMenu, onCopy } = props;
  const { onExport, onAdd, addRefusal } = props;
  const [typed, setTyped] = useState(filter);
  const apply = useEffectEvent((text: string) => {
    if (text !== filter) onFilter(text);
  });
  useEffect(() => {
    const timer = setTimeout(() => apply(typed), isFilterSlow ? FILTER_AFTER_MS : 0);
    return () => clearTimeout(timer);
  }, [typed, isFilterSlow]);

  return (
    <div className="result-bar">
      <Segments
        label="View"
        value={view}
        options={views.map((each) => ({ value: each, ...VIEW_NAMES[each] }))}
        onChange={onView}
      />
      <div className={view === "chart" ? "input xs quiet of-chart" : "input xs quiet"}>
        <ListFilter className="s t3" />
        <input
          aria-label="Filter rows"
          placeholder="Filter rows"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {filtersNote}
      <span className="grow" />
      {props.compareMenu}
      {columnsMenu}
      <Menu
        align="end"
        trigger={
          <button type="button" className="btn ghost sm" aria-label="Copy">
            <Copy className="s" />
            <span className="word">Copy</span>
          </button>
        }
      >
        {(Object.keys(FORMAT_NAMES) as CopyFormat[]).map((format) => (
          <MenuItem key={format} onSelect={() => onCopy(format)}>
            Copy as {FORMAT_NAMES[format]}
          </MenuItem>
        ))}
      </Menu>
      <button type="button" className="btn ghost sm" aria-label="Export" onClick={onExport}>
        <Download className="s" />
        <span className="word">Export</span>
      </button>
      <Tip label={addRefusal ?? "Add to dashboard"}>
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Add to dashboard"
          aria-disabled={addRefusal !== null}
          onClick={() => addRefusal === null && onAdd()}
        >
          <LayoutDashboard className="s" />
        </button>
      </Tip>
    </div>
  );
}
