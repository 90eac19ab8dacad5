"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { prepareCharts } from "@/components/chart/draw-chart";
import { DashboardCards } from "@/components/dashboards/dashboard-cards";
import { DataReader, toFailure } from "@/components/dashboards/data-reader";
import { FilterBar } from "@/components/dashboards/filter-bar";
import { useAgainWhenLost } from "@/components/dashboards/use-again-when-lost";
import { useDashboardChoice } from "@/components/dashboards/use-dashboard-choice";
import { useFrame } from "@/components/layout/use-frame";
import { isLockedOut, SharedPage } from "@/components/shares/shared-page";
import { UnlockShare } from "@/components/shares/unlock-share";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { zoneOf } from "@/lib/base/charts/moments";
import { hasTimes } from "@/lib/base/charts/widget-period";
import { CubeReader } from "@/lib/features/dashboards/browser/cube-reader";
import { traitsOf } from "@/lib/features/dashboards/kinds/traits";
import type { SharedDashboard as Shown } from "@/lib/features/dashboards/schema";
import { shareApi } from "@/lib/features/shares/browser/client";
import "@/components/ui/page.css";
import "./dashboards.css";

/** Interval between reads of visible widgets, since wall screens show shared pages too. */
const AGAIN_EVERY_MS = 60_000;

type SharedDashboardProps = { token: string; title: string; description: string };

/** A dashboard as its share link shows it, to visitors without an account. */
export function SharedDashboard(props: SharedDashboardProps) {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <SharedPage>
        <Opened {...props} />
      </SharedPage>
    </QueryClientProvider>
  );
}

type State =
  | { kind: "reading" }
  | { kind: "locked" }
  | { kind: "failed"; error: Error }
  | { kind: "open"; shown: Shown };

function Opened({ token, title, description }: SharedDashboardProps) {
  const [state, setState] = useState<State>({ kind: "reading" });
  useEffect(prepareCharts, []);
  const open = useCallback(
    async (signal?: AbortSignal) => {
      try {
        const shown = await shareApi.readDashboard(token, signal);
        setState({ kind: "open", shown });
        return true;
      } catch (error) {
        if (signal?.aborted) return false;
        setState(isLockedOut(error) ? { kind: "locked" } : { kind: "failed", error: error as Error });
        return !isLockedOut(error);
      }
    },
    [token],
  );
  useEffect(() => {
    const leave = new AbortController();
    void open(leave.signal);
    return () => leave.abort();
  }, [open]);
  useAgainWhenLost(state.kind === "failed" ? state.error : null, () => void open());
  if (state.kind === "locked") {
    return <UnlockShare token={token} title={title} description={description} onUnlocked={() => open()} />;
  }
  if (state.kind === "open")
    return <Board token={token} shown={state.shown} onLocked={() => setState({ kind: "locked" })} />;
  return (
    <main className="page" aria-labelledby="page-title">
      <div className="page-in">
        <Head title={title} description={description} />
        {state.kind === "failed" ? (
          <LoadFailure error={state.error} onRetry={() => void open()} />
        ) : (
          <ListSkeleton label="Loading dashboard" />
        )}
      </div>
    </main>
  );
}

function Board({ token, shown, onLocked }: { token: string; shown: Shown; onLocked: () => void }) {
  const { times } = useFrame().frame;
  const timezone = zoneOf({ times }) ?? "UTC";
  const choice = useDashboardChoice();
  const reader = useMemo(
    () =>
      new DataReader(
        (page, signal) => shareApi.readData(token, { ...page, timezone }, signal),
        new CubeReader((widgetId, page, signal) => shareApi.readCube(token, widgetId, { ...page, timezone }, signal)),
      ),
    [token, timezone],
  );
  const source = useMemo(
    () => ({
      key: ["share", token],
      read: (filterId: string, ask: Parameters<typeof shareApi.readFilterValues>[2], signal: AbortSignal) =>
        shareApi.readFilterValues(token, filterId, ask, signal),
    }),
    [token],
  );
  const reading = useSyncExternalStore(reader.subscribe, reader.current, reader.current);
  const { data } = reading;
  const error = toFailure(reading);
  useEffect(() => () => reader.close(), [reader]);
  const asked = choice.ask;
  useEffect(() => reader.ask(asked), [reader, asked]);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && reader.ask(asked, true), AGAIN_EVERY_MS);
    return () => clearInterval(timer);
  }, [reader, asked]);
  useAgainWhenLost(reading.error, () => reader.ask(asked, true));
  const isShut = isLockedOut(error);
  useEffect(() => {
    if (isShut) onLocked();
  }, [isShut, onLocked]);
  return (
    <main className="page dashboard-host" aria-labelledby="page-title">
      <div className="page-in">
        <Head title={shown.title} description={shown.description} />
        <FilterBar
          filters={shown.filters}
          widgets={shown.widgets}
          source={source}
          choice={choice}
          timezone={timezone}
          hasTimes={hasTimes(shown.widgets.map(({ kind, spec }) => ({ spec: traitsOf(kind).toPlain(spec) })))}
        />
        {error !== null && !isShut && (
          <div className="dashboard-said">
            <Notice
              kind="bad"
              role="alert"
              action={
                <button type="button" className="btn sm" onClick={() => reader.ask(asked, true)}>
                  Retry
                </button>
              }
            >
              {data === null ? "" : "Showing older data. "}
              {toMessage(error)}
            </Notice>
          </div>
        )}
        <DashboardCards
          widgets={shown.widgets}
          reading={reading}
          choice={choice}
          onEnter={(widgetId) => reader.enter(widgetId, asked)}
          onLeave={() => reader.leave()}
        />
      </div>
    </main>
  );
}

function Head({ title, description }: { title: string; description: string }) {
  return (
    <>
      <div className="phead">
        <h1 id="page-title">{title}</h1>
      </div>
      {description !== "" && <p className="lead dashboard-lead">{description}</p>}
    </>
  );
}
