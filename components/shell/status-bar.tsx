"use client";

import { CircleCheck, GitBranch, Keyboard, Waves, WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Tip } from "@/components/ui/tip";
import { useConnectivity } from "@/components/ui/use-browser";
import { useUnsavedCount } from "@/components/workspace/use-consoles";
import { useRunningCount, useWorkspace } from "@/components/workspace/workspace-context";

/** One line of facts: is the server there, what runs, where the cursor is, which zone times are in. */
export function StatusBar({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const { editors } = useWorkspace();
  const { isOnline } = useConnectivity();
  const running = useRunningCount();
  const unsaved = useUnsavedCount();
  const cursor = useSyncExternalStore(editors.subscribe, editors.readCursor, () => null);
  const zone = useSyncExternalStore(
    () => () => {},
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => null,
  );
  return (
    <footer className="status">
      {isOnline ? (
        <span className="row good">
          <CircleCheck className="xs" />
          Online
        </span>
      ) : (
        <span className="row warn">
          <WifiOff className="xs" />
          Offline
        </span>
      )}
      <span className="row">
        <GitBranch className="xs" />
        {unsaved === 0 ? "All saved" : `${unsaved} unsaved`}
      </span>
      <span className={running > 0 ? "row moving" : "row"}>
        <Waves className="xs" />
        {running === 0 ? "Nothing running" : `${running} ${running === 1 ? "run" : "runs"} in motion`}
      </span>
      <span className="grow" />
      {cursor && (
        <span className="num">
          Ln {cursor.line}, Col {cursor.column}
        </span>
      )}
      {zone && <span>{zone}</span>}
      <Tip label="All shortcuts" keys="?" side="top">
        <button type="button" aria-label="All shortcuts" onClick={onShowShortcuts}>
          <Keyboard className="s" />
        </button>
      </Tip>
    </footer>
  );
}
