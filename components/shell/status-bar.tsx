"use client";

import { CircleCheck, GitBranch, Keyboard, Waves, WifiOff } from "lucide-react";
import Link from "next/link";
import { useSyncExternalStore } from "react";
import { useActiveConsoleId } from "@/components/consoles/use-console-actions";
import { useOpenConsole, useUnsavedCount } from "@/components/consoles/use-consoles";
import { readFrame, subscribeFrame } from "@/components/layout/use-frame";
import { useRunningCount, useWorkspace } from "@/components/layout/workspace-context";
import { ExportEntry } from "@/components/results/export-entry";
import { useRunsInMotion } from "@/components/runs/use-runs-in-motion";
import { useFindDatabase } from "@/components/schema/use-schema";
import { Tip } from "@/components/ui/tip";
import { useConnectivity, useIsSettled } from "@/components/ui/use-browser";
import { deviceZone } from "@/lib/base/values/names";
import { formatCountOf, formatDuration } from "@/lib/platform/browser/format";

/** Status of the page: server, running queries, cursor position, time zone. */
export function StatusBar({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const { editors, workspace } = useWorkspace();
  const connectivity = useConnectivity();
  const isSettled = useIsSettled();
  // Queries of this tab, and background runs of everyone.
  const running = useRunningCount() + useRunsInMotion();
  const unsaved = useUnsavedCount();
  const cursor = useSyncExternalStore(editors.subscribe, editors.readCursor, () => null);
  const zone = useSyncExternalStore(subscribeFrame, readShownZone, () => null);
  const server = useServerWords();
  return (
    <footer className="status">
      {connectivity.isOnline ? (
        <span className="row good">
          <CircleCheck className="xs" />
          Online
        </span>
      ) : (
        <span className="row warn">
          <WifiOff className="xs" />
          {connectivity.lacks === "network" ? "Offline" : "Server unreachable, reconnecting"}
        </span>
      )}
      <span className="row">
        <GitBranch className="xs" />
        {unsaved === 0 ? "All saved" : `${unsaved} unsaved`}
      </span>
      <Link
        className={running > 0 ? "row moving" : "row"}
        href={`/w/${workspace.slug}/activity${running > 0 ? "?state=motion" : ""}`}
        prefetch={isSettled ? null : false}
      >
        <Waves className="xs" />
        {running === 0 ? "Nothing running" : `${formatCountOf(running, "run")} in progress`}
      </Link>
      <ExportEntry />
      <span className="grow" />
      {cursor && (
        <span className="num">
          Ln {cursor.line}, Col {cursor.column}
        </span>
      )}
      {server && (
        <span className="trunc" title={server.title}>
          {server.words}
        </span>
      )}
      {zone && <span title="Time zone of results">{zone}</span>}
      <Tip label="Keyboard shortcuts" keys="?" side="top">
        <button type="button" aria-label="Keyboard shortcuts" onClick={onShowShortcuts}>
          <Keyboard className="s" />
        </button>
      </Tip>
    </footer>
  );
}

/** Returns the zone of the results' times; none if they are shown as the database returned them. */
function readShownZone(): string | null {
  const { times } = readFrame();
  if (times === "raw") return null;
  return times === "local" ? deviceZone() : times === "utc" ? "UTC" : times;
}

/** Returns the server of the open console's connection as of its last test; null if it was never tested. */
function useServerWords(): { words: string; title: string } | null {
  const consoleId = useActiveConsoleId();
  const shown = useOpenConsole(consoleId);
  const connection = useFindDatabase()(shown?.connectionId ?? null);
  if (shown === null || connection === null || connection.serverVersion === null || connection.latencyMs === null)
    return null;
  const { name, serverVersion, latencyMs } = connection;
  return {
    words: `${serverVersion}, ${formatDuration(latencyMs)}`,
    title: `${name} at last test: ${serverVersion}, connected in ${formatDuration(latencyMs)}`,
  };
}
