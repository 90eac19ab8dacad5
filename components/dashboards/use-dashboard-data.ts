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
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import { CubeReader } from "@/lib/features/dashboards/browser/cube-reader";
import type { PageAsk } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { Dashboard } from "@/lib/features/dashboards/schema";
import { isGoing } from "@/lib/features/flows/browser/flow-words";
import type { Run } from "@/lib/features/runs/schema";

/** Interval between reads of a visible wall screen, where no user can reload. */
const WALL_EVERY_MS = 60_000;

type Ask = { asked: PageAsk; timezone: string; isWall: boolean };

/** Returns the data of a dashboard's widgets, kept current while the page is open. */
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
  /** The running refresh, as far as this page knows. */
  const [run, setRun] = useState<Run | null>(null);
  /** Ids of finished runs. The event of a run's end may arrive before the response to the request that started it. */
  const ended = useRef(new Set<string>());
  /** Catches up after missed events: reads the rows again where a save or a refresh may have changed them. */
  const hearWhatWasMissed = async () => {
    const key = toDashboardKey(workspace.id, dashboardId);
    const before = toStamp(client.getQueryData<Dashboard>(key));
    await client.refetchQueries({ queryKey: key, exact: true }).catch(() => {});
    const after = client.getQueryData<Dashboard>(key);
    const lastRun = after?.lastRun ?? null;
    // Refreshes run one at a time: a newer or finished run means that the awaited one has ended. Ids grow with time.
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
      // The dashboard has a last refresh now.
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
    /** Prepares a widget under the pointer or focus, so that clicks in it are answered in the browser. */
    enter: (widgetId: string) => reader.enter(widgetId, asked),
    leave: () => reader.leave(),
    run,
    /** Refreshes the sources for everyone; the current rows stay until the new ones arrive. */
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

/** Returns a stamp of everything that the rows depend on; null while it is unknown. */
function toStamp(dashboard: Dashboard | undefined): string | null {
  if (dashboard === undefined) return null;
  const { version, lastRun } = dashboard;
  return JSON.stringify([version, lastRun?.id ?? null, lastRun?.status ?? null]);
}
