"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { DataReader } from "@/components/dashboards/data-reader";
import { useAgainWhenLost } from "@/components/dashboards/use-again-when-lost";
import { toDashboardDataKey, toDashboardKey } from "@/components/dashboards/use-dashboards";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { type Dashboard, dashboardApi } from "@/lib/features/dashboards/browser/client";
import { CubeReader } from "@/lib/features/dashboards/browser/cube-reader";
import type { PageAsk } from "@/lib/features/dashboards/browser/dashboard-choice";
import { isGoing } from "@/lib/features/flows/browser/flow-words";
import type { Run } from "@/lib/features/runs/browser/client";

/** Nobody presses anything on a wall: what it shows is read anew this often, while it is in sight. */
const WALL_EVERY_MS = 60_000;

type Ask = { asked: PageAsk; timezone: string; isWall: boolean };

/** What the widgets of a dashboard show, kept true while the page is open. */
export function useDashboardData(dashboardId: string, { asked, timezone, isWall }: Ask) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const reader = useMemo(
    () =>
      new DataReader(
        (page, signal, onWidget) =>
          dashboardApi.readWidgets(workspace.id, dashboardId, { ...page, timezone }, onWidget, signal),
        new CubeReader((widgetId, page, signal) =>
          dashboardApi.readCube(workspace.id, dashboardId, widgetId, { ...page, timezone }, signal),
        ),
      ),
    [workspace.id, dashboardId, timezone],
  );
  const reading = useSyncExternalStore(reader.subscribe, reader.current, reader.current);
  useEffect(() => () => reader.close(), [reader]);
  useEffect(() => reader.ask(asked), [reader, asked]);
  const again = useEffectEvent(() => reader.ask(asked, true));
  useEffect(() => {
    if (!isWall) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), WALL_EVERY_MS);
    return () => clearInterval(timer);
  }, [isWall]);
  useAgainWhenLost(reading.error, () => reader.ask(asked, true));
  /** The refresh that goes on, as far as it was heard of. */
  const [run, setRun] = useState<Run | null>(null);
  /** The news of a run's end may come before the answer of whoever has begun it. */
  const ended = useRef(new Set<string>());
  /** What came meanwhile was not heard: the rows are read again where a save or a refresh may have changed them. */
  const hearWhatWasMissed = async () => {
    const key = toDashboardKey(workspace.id, dashboardId);
    const before = toStamp(client.getQueryData<Dashboard>(key));
    await client.refetchQueries({ queryKey: key, exact: true }).catch(() => {});
    const after = client.getQueryData<Dashboard>(key);
    const lastRun = after?.lastRun ?? null;
    // One at a time: what is newer, or over, has ended the one that was waited for. Ids grow with time.
    if (lastRun !== null) {
      setRun((known) => (isGoing(lastRun) ? lastRun : known !== null && lastRun.id >= known.id ? null : known));
    }
    if (before === null || toStamp(after) !== before) reader.ask(asked, true);
  };
  useLive((event) => {
    if (event.kind === "run" && event.data.resourceId === dashboardId) {
      const told = event.data.run as Run | undefined;
      if (told && isGoing(told)) return setRun(told);
      if (told) ended.current.add(told.id);
      if (told?.error) showFailure(told.error);
      setRun(null);
      // It has a last refresh now.
      void client.invalidateQueries({ queryKey: toDashboardKey(workspace.id, dashboardId) });
      return reader.ask(asked, true);
    }
    if (event.kind === "reset") return void hearWhatWasMissed();
    if (event.kind !== "dashboard" || event.data.resourceId !== dashboardId) return;
    void client.invalidateQueries({ queryKey: toDashboardKey(workspace.id, dashboardId) });
    void client.invalidateQueries({ queryKey: toDashboardDataKey(workspace.id, dashboardId) });
    reader.ask(asked, true);
  });
  return {
    ...reading,
    again: () => reader.ask(asked, true),
    /** The pointer, or the focus, has come to a widget: what is pressed there is answered here then. */
    enter: (widgetId: string) => reader.enter(widgetId, asked),
    leave: () => reader.leave(),
    run,
    /** Reads the sources anew, for everybody; what is shown stays until the new rows are there. */
    refresh: async () => {
      try {
        const begun = await dashboardApi.refresh(workspace.id, dashboardId);
        if (!ended.current.has(begun.run.id)) setRun(begun.run);
      } catch (error) {
        showFailure(toMessage(error));
      }
    },
  };
}

/** Names what the rows hang on; null while that is not known. */
function toStamp(dashboard: Dashboard | undefined): string | null {
  if (dashboard === undefined) return null;
  const { version, lastRun } = dashboard;
  return JSON.stringify([version, lastRun?.id ?? null, lastRun?.status ?? null]);
}
