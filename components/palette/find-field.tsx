"use client";

import { Search } from "lucide-react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Keys } from "@/components/ui/keys";

/** Search field at the top of the explorer: opens the palette. */
export function FindField() {
  const { commands } = useWorkspace();
  return (
    <button
      type="button"
      className="input sm quiet find"
      aria-haspopup="dialog"
      onClick={() => commands.run("palette")}
    >
      <Search className="s" />
      <span>Search or jump to…</span>
      <Keys keys="mod+k" />
    </button>
  );
}
