"use client";

import { ArrowRight, Pause, Pencil, Play, Square, Trash2, Webhook } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { TypeIcon } from "@/components/connections/type-icon";
import { DeleteFlow } from "@/components/flows/delete-flow";
import { useFlowActions, useMayChange } from "@/components/flows/use-flow-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { StatusWord } from "@/components/runs/status-word";
import { useConnectionName, useFindConnection } from "@/components/schema/use-schema";
import { ListRow } from "@/components/ui/list-row";
import { MenuItem } from "@/components/ui/menu";
import { useConnectivity, useNow } from "@/components/ui/use-browser";
import { isGoing, toFlowMode, toRunState, toShareDone } from "@/lib/features/flows/browser/flow-words";
import type { Flow } from "@/lib/features/flows/schema";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";
import { formatCount } from "@/lib/platform/browser/format";
import { formatAgo, formatMoment, formatStamp } from "@/lib/platform/browser/format-time";

const AGE_EVERY_MS = 30_000;
const COLUMNS = 7;

/** Row of a flow, with the error of its last run below it. */
export function FlowRow({ flow }: { flow: Flow }) {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const { isOnline } = useConnectivity();
  const now = useNow(true, AGE_EVERY_MS);
  const mayChange = useMayChange(flow);
  const { run, cancel, setEnabled } = useFlowActions(flow);
  const [isDeleting, setIsDeleting] = useState(false);
  const { name, lastRun, schedule } = flow;
  const href = `/w/${workspace.slug}/flows/${flow.id}`;
  const isMoving = lastRun !== null && isGoing(lastRun);
  const problem = lastRun?.status === "failure" ? (lastRun.error ?? "The run failed. See its log.") : null;
  return (
    <>
      <ListRow
        name={name}
        renamePath={mayChange ? `${href}/edit` : null}
        columns={COLUMNS}
        problem={
          problem === null
            ? null
            : { text: problem, action: <Link href={`${href}/runs/${lastRun?.id}`}>View run</Link> }
        }
        action={
          flow.type !== "webhook" && (
            <button
              type="button"
              className="btn ghost icon sm"
              aria-label={isMoving ? `Cancel run of ${name}` : `Run ${name} now`}
              disabled={!isOnline || run.isPending || cancel.isPending}
              onClick={() => (isMoving ? cancel.mutate(lastRun.id) : run.mutate())}
            >
              {isMoving ? <Square className="s" /> : <Play className="s" />}
            </button>
          )
        }
        menu={
          <>
            {flow.type === "webhook" && (
              <MenuItem icon={<Webhook />} onSelect={() => router.push(`${href}/webhook`)}>
                Webhook
              </MenuItem>
            )}
            <MenuItem icon={<Pencil />} onSelect={() => router.push(`${href}/edit`)}>
              {mayChange ? "Edit" : "View"}
            </MenuItem>
            {mayChange && (
              <MenuItem icon={flow.enabled ? <Pause /> : <Play />} onSelect={() => setEnabled.mutate(!flow.enabled)}>
                {flow.enabled ? "Pause" : "Resume"}
              </MenuItem>
            )}
            {mayChange && (
              <MenuItem icon={<Trash2 />} onSelect={() => setIsDeleting(true)}>
                Delete
              </MenuItem>
            )}
          </>
        }
      >
        <td>
          <Link className="b5 trunc flow-name" href={href}>
            {name}
          </Link>
          <div className="xs t3 trunc">{toFlowMode(flow)}</div>
        </td>
        <td data-label="Source and destination">
          <FromAndTo flow={flow} />
        </td>
        <td data-label="Last run">
          <LastRun flow={flow} now={now} />
        </td>
        <td className="r" data-label="Rows">
          {lastRun?.rowCount != null && formatCount(lastRun.rowCount)}
        </td>
        <td className="opt t2" data-label="Schedule">
          {flow.type === "webhook"
            ? "On event"
            : schedule === null
              ? "Manual"
              : (toScheduleWords(schedule.cron) ?? <span className="mono xs">{schedule.cron}</span>)}
        </td>
        <td
          className="opt t2"
          data-label="Next"
          title={now && flow.nextRunAt ? formatStamp(new Date(flow.nextRunAt)) : undefined}
        >
          {now !== null &&
            (!flow.enabled
              ? "Paused"
              : flow.nextRunAt !== null
                ? formatMoment(new Date(flow.nextRunAt), new Date(now))
                : flow.type === "webhook"
                  ? "On event"
                  : "–")}
        </td>
      </ListRow>
      <DeleteFlow flow={flow} isOpen={isDeleting} onClose={() => setIsDeleting(false)} />
    </>
  );
}

function FromAndTo({ flow }: { flow: Flow }) {
  return (
    <span className="row flow-ends">
      {flow.source === null ? (
        <span className="row flow-end">
          <Webhook className="s t3" />
          Events
        </span>
      ) : (
        <End id={flow.source.connectionId} />
      )}
      <ArrowRight className="xs t3" aria-label="to" />
      <End id={flow.destination.connectionId} />
    </span>
  );
}

function End({ id }: { id: string }) {
  const connection = useFindConnection()(id);
  const name = useConnectionName()(id);
  return (
    <span className={connection ? "row flow-end" : "row flow-end t3"} title={name}>
      {connection && <TypeIcon type={connection.type} />}
      <span className="trunc">{name}</span>
    </span>
  );
}

function LastRun({ flow: { lastRun }, now }: { flow: Flow; now: number | null }) {
  if (lastRun === null) return <span className="t3">Never run</span>;
  const state = toRunState(lastRun);
  if (isGoing(lastRun)) {
    const share = toShareDone(lastRun.entities);
    return <StatusWord status={state} more={share === null ? "" : `, ${Math.floor(share * 100)}%`} />;
  }
  const at = new Date(lastRun.completedAt ?? lastRun.createdAt);
  return (
    <span title={now ? formatStamp(at) : undefined}>
      <StatusWord status={state} more={now === null ? "" : `, ${formatAgo(at, new Date(now))}`} />
    </span>
  );
}
