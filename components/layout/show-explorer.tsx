"use client";

import { PanelLeft } from "lucide-react";
import { updateFrame } from "@/components/layout/use-frame";
import { Tip } from "@/components/ui/tip";

/** Button that shows the explorer on a page without tabs. The styles show it while the explorer is hidden. */
export function ShowExplorer() {
  return (
    <Tip label="Show explorer" keys="mod+b">
      <button
        type="button"
        className="btn ghost icon sm page-side"
        aria-label="Show explorer"
        onClick={() => updateFrame({ explorerOpen: true })}
      >
        <PanelLeft />
      </button>
    </Tip>
  );
}
