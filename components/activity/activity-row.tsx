"use client";

import {
  CalendarClock,
  CircleStop,
  KeyRound,
  LayoutDashboard,
  Send,
  SquareTerminal,
  TextSearch,
  Webhook,
  Workflow,
} from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { EXECUTIONS, RUNS } from "@/components/activity/use-activity";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toChannelWord } from "@/components/notifications/rule-words";
import { RunBar } from "@/components/runs/run-bar";
import { StatusWord } from "@/components/runs/status-word";
import { useConnectionName } from "@/components/schema/use-schema";
import { useChange, useMemberNames } from "@/components/settings/use-settings";
import { CodeBox } from "@/components/ui/code-box";
import { PersonCell } from "@/components/ui/person";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useNow } from "@/components/ui/use-browser";
import { toShareDone } from "@/lib/features/flows/browser/flow-words";
import { api } from "@/lib/features/query/browser/api";
import { toChangeWord, toRowCounts } from "@/lib/features/results/browser/result-words";
import {
  type Activity,
  type ActivityKind,
  errorOf,
  nameOf,
  starterOf,
  statusOf,
} from "@/lib/features/runs/browser/activity";
import { runsApi } from "@/lib/features/runs/browser/client";
import { formatRowTime, TRIGGER_WORDS } from "@/lib/features/runs/browser/run-words";
import { formatCount, formatDuration } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";

const ICONS: Record<ActivityKind, ReactNode> = {
  console: <SquareTerminal className="s t3" />,
  flow: <Workflow className="s t3" />,
  dashboard: <LayoutDashboard className="s t3" />,
  query: <TextSearch className="s t3" />,
  delivery: <Send className="s t3" />,
};
const KIND_NAMES: Record<ActivityKind, string> = {
  console: "Console run",
  flow: "Flow run",
  dashboard: "Dashboard refresh",
  query: "Query",
  delivery: "Delivery",
};
const CLOCK_EVERY_MS = 1000;
const COLUMNS = 7;

type ActivityRowProps = { item: Activity; isOpen: boolean; onToggle: () => void };

/** A row: what ran, for whom, its outcome, and a link to details. */
export function ActivityRow({ item, isOpen, onToggle }: ActivityRowProps) {
  const connectionName = useConnectionName();
  const name = nameOf(item) ?? "Private query";
  const at = new Date(item.at);
  const place =
    item.kind === "query"
      ? connectionName(item.execution.connectionId)
      : item.kind === "delivery"
        ? toChannelWord(item.delivery.channelType)
        : null;
  return (
    <>
      <tr className={isOpen ? "has-sub" : undefined}>
        <td>
          <StatusWord status={statusOf(item)} />
        </td>
        <td className="cut what">
          <span className="row activity-what" title={name}>
            {ICONS[item.kind]}
            <span className="sr-only">{KIND_NAMES[item.kind]}</span>
            <span className={item.kind === "query" ? "trunc mono" : "trunc b5"}>{name}</span>
            {place && <span className="xs t3 activity-place">{place}</span>}
          </span>
        </td>
        <td data-label="Started by">
          <By item={item} />
        </td>
        <td data-label="Started" className="num t2" title={formatStamp(at)}>
          {formatRowTime(at, new Date())}
        </td>
        <td data-label="Duration" className="r">
          <Took item={item} />
        </td>
        <td data-label="Rows" className="r">
          <Rows item={item} />
        </td>
        <td className="cut detail">
          <span className="row">
            <Detail item={item} isOpen={isOpen} onToggle={onToggle} />
            <Cancel item={item} />
          </span>
        </td>
      </tr>
      {isOpen && item.kind === "query" && (
        <tr className="sub">
          <td colSpan={COLUMNS} className="wrap">
            {item.execution.error && <p className="mono raw activity-error">{item.execution.error}</p>}
            {item.execution.query === null ? (
              <p className="t2">Only the person who ran this query can see its text.</p>
            ) : (
              <CodeBox label="Query">{item.execution.query}</CodeBox>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

function By({ item }: { item: Activity }) {
  const names = useMemberNames();
  const starter = starterOf(item);
  if (starter !== null) {
    const isByKey = "run" in item && item.run.triggerType === "api";
    return (
      <span className="row">
        <PersonCell id={starter} name={names.get(starter) ?? "Former member"} />
        {isByKey && <KeyRound className="xs t3" aria-label="With an API key" />}
      </span>
    );
  }
  if (item.kind === "delivery")
    return <span className="t2">{item.delivery.resourceType === "dashboard" ? "Snapshot" : "Rule"}</span>;
  if (item.kind === "query") return null;
  return (
    <span className="row activity-by t2">
      {item.run.triggerType === "webhook" ? <Webhook className="s t3" /> : <CalendarClock className="s t3" />}
      {item.run.triggerType === "scheduled" ? "Schedule" : TRIGGER_WORDS[item.run.triggerType]}
    </span>
  );
}

function Took({ item }: { item: Activity }) {
  const isRunning = statusOf(item) === "running";
  const now = useNow(isRunning, CLOCK_EVERY_MS);
  if (item.kind === "delivery") return null;
  const { durationMs, startedAt } = item.kind === "query" ? item.execution : item.run;
  if (durationMs !== null) return formatDuration(durationMs);
  if (!isRunning || now === null || startedAt === null) return null;
  return formatDuration(Math.max(0, now - new Date(startedAt).getTime()));
}

function Rows({ item }: { item: Activity }) {
  if (item.kind === "delivery") return null;
  const changed = item.kind === "query" ? toRowCounts(item.execution, item.execution.query).changed : null;
  if (item.kind === "query" && changed !== null) return `${formatCount(changed)} ${toChangeWord(item.execution.query)}`;
  const rows =
    item.kind === "query" ? item.execution.rowCount : (item.run.rowCount ?? item.run.counts?.written ?? null);
  return rows === null ? null : formatCount(rows);
}

/** Shows the reason of a failure, or a link to the result. */
function Detail({ item, isOpen, onToggle }: ActivityRowProps) {
  const { workspace } = useWorkspace();
  const root = `/w/${workspace.slug}`;
  const error = errorOf(item)?.split("\n")[0];
  if (item.kind === "query") {
    return (
      <button type="button" className="link grow trunc detail-text" aria-expanded={isOpen} onClick={onToggle}>
        {error ?? "View query"}
      </button>
    );
  }
  const href =
    item.kind === "delivery"
      ? `${root}/settings/notifications?delivery=${item.id}`
      : item.kind === "flow"
        ? `${root}/flows/${item.run.resourceId}/runs/${item.id}`
        : item.kind === "dashboard"
          ? `${root}/dashboards/${item.run.resourceId}`
          : `${root}/consoles/${item.run.resourceId}/schedule?run=${item.id}`;
  const word =
    item.kind === "delivery"
      ? toDeliveryWord(item.delivery)
      : item.run.status === "success"
        ? "View result"
        : "View run";
  if (item.kind === "flow" && item.run.status === "running") {
    const share = toShareDone(item.run.entities);
    return (
      <span className="row grow activity-far">
        <RunBar label={`Progress of ${item.run.resourceName}`} share={share} read={item.run.counts?.read ?? 0} />
        <Link className="detail-text num" href={href}>
          {share === null ? word : `${Math.floor(share * 100)}%`}
        </Link>
      </span>
    );
  }
  return (
    <Link className="grow trunc detail-text" href={href}>
      {error ?? (statusOf(item) === "queued" ? "Queued" : word)}
    </Link>
  );
}

function toDeliveryWord({ httpStatus }: { httpStatus: number | null }): string {
  return httpStatus === null ? "Delivery" : `Delivery, HTTP ${httpStatus}`;
}

function Cancel({ item }: { item: Activity }) {
  const { workspace } = useWorkspace();
  const cancel = useChange([RUNS, EXECUTIONS], async () => {
    if (item.kind === "query") await api.cancelExecution(workspace.id, item.id);
    else if (item.kind !== "delivery") await runsApi.cancel(workspace.id, item.run);
  });
  const status = statusOf(item);
  if (item.kind === "delivery" || (status !== "queued" && status !== "running")) return null;
  const isAsked = cancel.isPending || (item.kind !== "query" && item.run.cancelRequestedAt !== null);
  return (
    <button
      type="button"
      className="btn sm"
      aria-label={`Cancel ${nameOf(item) ?? "query"}`}
      aria-disabled={isAsked}
      onClick={() => !isAsked && cancel.mutate(undefined, { onError: (error) => showFailure(toMessage(error)) })}
    >
      <CircleStop className="s" />
      {isAsked ? "Cancelling" : "Cancel"}
    </button>
  );
}
