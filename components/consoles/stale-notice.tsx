"use client";

import { GitCompare } from "lucide-react";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";

/** Warns before Save that someone else has saved since the draft was started. */
export function StaleNotice({ open, savedBy }: { open: OpenConsole; savedBy: string | null }) {
  const { consoles } = useWorkspace();
  return (
    <div className="stale" role="status">
      <GitCompare className="s" />
      <span className="grow">
        <b className="b6">
          {savedBy === null ? "This console was changed elsewhere." : `${savedBy} changed this console.`}
        </b>{" "}
        Your draft is kept.
      </span>
      <button type="button" className="btn sm" onClick={() => consoles.setComparing(open.id, true)}>
        Compare
      </button>
    </div>
  );
}
