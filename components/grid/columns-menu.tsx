"use client";

import { Check, Columns3 } from "lucide-react";
import type { ResultTable } from "@/components/grid/use-result-columns";
import { Menu, MenuItem, MenuLine, MenuToggle } from "@/components/ui/menu";

/** Menu that shows and hides columns, and resets them. */
export function ColumnsMenu({ table, onChange }: { table: ResultTable; onChange: () => void }) {
  const columns = table.getAllLeafColumns();
  const shown = columns.filter((column) => column.getIsVisible()).length;
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="btn ghost sm" aria-label="Columns">
          {shown < columns.length ? <Check className="s" /> : <Columns3 className="s" />}
          <span className="word">Columns</span>
        </button>
      }
    >
      {columns.map((column) => (
        <MenuToggle
          key={column.id}
          isOn={column.getIsVisible()}
          onChange={(isOn) => {
            // The last column stays: without columns there is no header to bring them back.
            if (!isOn && shown === 1) return;
            onChange();
            column.toggleVisibility(isOn);
          }}
        >
          {column.id}
        </MenuToggle>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => table.resetColumnVisibility()}>Show all columns</MenuItem>
      <MenuItem onSelect={() => table.resetColumnSizing()}>Reset widths</MenuItem>
      <MenuItem
        onSelect={() => {
          onChange();
          table.resetColumnOrder();
          table.resetColumnPinning();
        }}
      >
        Reset order and pins
      </MenuItem>
    </Menu>
  );
}
