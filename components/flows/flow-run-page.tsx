"use client";

import { CalendarClock, Ellipsis, History, Pause, Pencil, Play, Square, Trash2, Webhook } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Backfill } from "@/components/flows/backfill";
import { DeleteFlow } from "@/components/flows/delete-flow";
import { FlowTrail } from "@/components/flows/flow-trail";
import { RunFailure } from "@/components/flows/run-failure";
import { RunGraph } from "@/components/flows/run-graph";
import { RunList } from "@/components/flows/run-list";
import { RunLog } from "@/components/flows/run-log";
import { RunStrip } from "@/components/flows/run-strip";
import { useFlowActions, useMayChange } from "@/components/flows/use-flow-actions";
import { useFlow, useFlowRun } from "@/components/flows/use-flows";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useResourceNotifications } from "@/components/notifications/use-resource-notifications";
import { CannotOpen } from "@/components/ui/cannot-open";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Menu, MenuItem } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";
import { useIsPhone, useNow, useOutage } from "@/components/ui/use-browser";
import { isGoing } from "@/lib/features/flows/browser/flow-words";
import type { FlowDetail, FlowRun } from "@/lib/features/flows/schema";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";
import { formatMoment } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";
import "./flows.css";

const CLOCK_EVERY_MS = 30_000;

/**
 * Page of one run of a flow.
 * @param runId null for the latest run
 */
export function FlowRunPage({ flowId, runId }: { flowId: string; runId: string | null }) {
  const { workspace } = useWorkspace();
  const flow = useFlow(flowId);
  const shownId = runId ?? flow.data?.lastRun?.id ?? null;
  const run = useFlowRun(flowId, shownId);
  const root = `/w/${workspace.slug}/flows`;
  const failure = flow.error ?? run.error;
  if (flow.data && (run.data || shownId === null)) {
    return <Loaded key={flowId} flow={flow.data} run={run.data ?? null} root={root} />;
  }
  if (failure instanceof ApiError && (failure.status === 404 || failure.status === 400)) {
    return <CannotOpen what={flow.data ? "run" : "flow"} back={{ href: root, label: "Back to flows" }} />;
  }
  return (
    <Page title={flow.data?.name ?? "Flow"} trail={<FlowTrail root={root} flow={null} />} isWide>
      {failure ? (
        <LoadFailure error={failure} onRetry={() => Promise.all([flow.refetch(), run.refetch()])} />
      ) : (
        <ListSkeleton label="Loading run" />
      )}
    </Page>
  );
}

function Loaded({ flow, run, root }: { flow: FlowDetail; run: FlowRun | null; root: string }) {
  const now = useNow(true, CLOCK_EVERY_MS);
  const isPhone = useIsPhone();
  const at = run && new Date(run.startedAt ?? run.createdAt);
  const title = at === null ? flow.name : now === null ? "Run" : `Run, ${formatMoment(at, new Date(now))}`;
  const told = useResourceNotifications({ resourceType: "flow", resourceId: flow.id });
  return (
    <div className="panel-host">
      <Page
        title={title}
        trail={<FlowTrail root={root} flow={at === null ? null : flow} />}
        actions={<Actions flow={flow} run={run} root={root} />}
        isWide
      >
        {!flow.enabled && (
          <Notice kind="info">
            This flow is paused. It runs only when started manually
            {flow.type === "webhook" && ", and new events are queued until you resume it"}.
          </Notice>
        )}
        <div className="run-page">
          {run === null ? (
            <NotRun flow={flow} root={root} />
          ) : (
            <>
              {run.status === "failure" && <RunFailure flow={flow} run={run} />}
              <section className="card run-card" aria-label="Run status">
                <RunStrip run={run} />
                <RunGraph flow={flow} run={run} />
              </section>
              <RunLog run={run} />
              {flow.checkpoint && <Checkpoint checkpoint={flow.checkpoint} />}
            </>
          )}
          <div className="run-told">
            {told.rules}
            {told.deliveries}
          </div>
          {run !== null && isPhone && <RunList flowId={flow.id} />}
        </div>
      </Page>
      {told.panel}
    </div>
  );
}

function NotRun({ flow, root }: { flow: FlowDetail; root: string }) {
  return (
    <div className="empty blank">
      <h2>No runs yet</h2>
      {flow.type === "webhook" ? (
        <>
          <p>Events are written in batches. Each batch shows here as a run.</p>
          <div className="row">
            <Link className="btn" href={`${root}/${flow.id}/webhook`}>
              View webhook
            </Link>
          </div>
        </>
      ) : (
        <p>Run it now or add a schedule. Progress shows here.</p>
      )}
    </div>
  );
}

function Checkpoint({ checkpoint }: { checkpoint: NonNullable<FlowDetail["checkpoint"]> }) {
  return (
    <section className="card run-marks" aria-label="Next start cursor">
      <h2 className="b6">Next start cursor</h2>
      <dl className="kv">
        {checkpoint.map(({ entity, value }) => (
          <div key={entity} className="run-mark">
            <dt className="mono">{entity}</dt>
            <dd className="mono">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      <p className="xs t3">A stopped run resumes from here without duplicate rows.</p>
    </section>
  );
}

function Actions({ flow, run, root }: { flow: FlowDetail; run: FlowRun | null; root: string }) {
  const router = useRouter();
  const outage = useOutage();
  const mayChange = useMayChange(flow);
  const actions = useFlowActions(flow);
  const [asked, setAsked] = useState<"backfill" | "delete" | null>(null);
  const { type, schedule, lastRun } = flow;
  const href = `${root}/${flow.id}`;
  // Whichever run is shown, Cancel applies to the active one.
  const going = run !== null && isGoing(run) ? run : lastRun !== null && isGoing(lastRun) ? lastRun : null;
  return (
    <>
      {type === "webhook" ? (
        <Link className="btn" href={`${href}/webhook`}>
          <Webhook className="s" />
          Webhook
        </Link>
      ) : (
        <>
          <Link className="btn run-when" href={`${href}/edit#when`}>
            <CalendarClock className="s" />
            <span className="trunc">
              {schedule === null ? "No schedule" : (toScheduleWords(schedule.cron) ?? schedule.cron)}
            </span>
          </Link>
          <button
            type="button"
            className="btn"
            disabled={outage !== null || going !== null}
            title={outage ?? undefined}
            onClick={() => setAsked("backfill")}
          >
            <History className="s" />
            Backfill
          </button>
        </>
      )}
      {going !== null ? (
        <button
          type="button"
          className="btn danger"
          disabled={outage !== null || actions.cancel.isPending || going.cancelRequestedAt !== null}
          title={outage ?? undefined}
          onClick={() => actions.cancel.mutate(going.id)}
        >
          <Square className="s" />
          {going.cancelRequestedAt === null ? "Cancel run" : "Cancelling"}
        </button>
      ) : (
        type !== "webhook" && (
          <button
            type="button"
            className="btn run"
            disabled={outage !== null || actions.run.isPending}
            title={outage ?? undefined}
            onClick={() => actions.run.mutate()}
          >
            <Play className="s" />
            Run now
          </button>
        )
      )}
      <Menu
        align="end"
        trigger={
          <button type="button" className="btn icon" aria-label={`Actions for ${flow.name}`}>
            <Ellipsis className="s" />
          </button>
        }
      >
        <MenuItem icon={<Pencil />} onSelect={() => router.push(`${href}/edit`)}>
          {mayChange ? "Edit flow" : "View flow"}
        </MenuItem>
        {mayChange && (
          <MenuItem
            icon={flow.enabled ? <Pause /> : <Play />}
            onSelect={() => actions.setEnabled.mutate(!flow.enabled)}
          >
            {flow.enabled ? "Pause flow" : "Resume flow"}
          </MenuItem>
        )}
        {mayChange && (
          <MenuItem icon={<Trash2 />} onSelect={() => setAsked("delete")}>
            Delete flow
          </MenuItem>
        )}
      </Menu>
      {asked === "backfill" && <Backfill flow={flow} onClose={() => setAsked(null)} />}
      <DeleteFlow
        flow={flow}
        isOpen={asked === "delete"}
        onClose={() => setAsked(null)}
        onDeleted={() => router.push(root)}
      />
    </>
  );
}
