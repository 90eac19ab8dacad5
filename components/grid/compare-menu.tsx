"use client";

import { GitCompareArrows } from "lucide-react";
import type { OtherResult } from "@/components/grid/compare-view";
import { Menu, MenuItem } from "@/components/ui/menu";
import { Tip } from "@/components/ui/tip";

type CompareMenuProps = { others: OtherResult[]; onCompare: (other: OtherResult) => void };

/** Menu of the results that a result can be compared with. */
export function CompareMenu({ others, onCompare }: CompareMenuProps) {
  const button = (
    <button type="button" className="btn ghost sm" aria-label="Compare" aria-disabled={others.length === 0}>
      <GitCompareArrows className="s" />
      <span className="word">Compare</span>
    </button>
  );
  if (others.length === 0) return <Tip label="Pin this result, then run again to compare">{button}</Tip>;
  return (
    <Menu align="end" trigger={button}>
      {others.map((other) => (
        <MenuItem key={other.id} onSelect={() => onCompare(other)}>
          {other.name}
        </MenuItem>
      ))}
    </Menu>
  );
}
