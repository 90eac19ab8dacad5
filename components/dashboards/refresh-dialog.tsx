"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { toDashboardKey } from "@/components/dashboards/use-dashboards";
import { useWorkspace } from "@/components/layout/workspace-context";
import { StatusWord } from "@/components/runs/status-word";
import { isGoodSchedule, ScheduleEditor } from "@/components/schedules/schedule-editor";
import { useMemberNames } from "@/components/settings/use-settings";
import { announce } from "@/components/ui/live-region";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { useNow } from "@/components/ui/use-browser";
import { type Dashboard, dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { ScheduleBody } from "@/lib/features/runs/browser/schedules";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";

const QUARTERLY = "*/15 * * * *";
const AGE_EVERY_MS = 15_000;

type RefreshDialogProps = { dashboard: Dashboard; isRefreshing: boolean; onRefresh: () => void; onClose: () => void };

/** Refresh schedule of a dashboard, the result of its last refresh, and a button to refresh now. */
export function RefreshDialog({ dashboard, isRefreshing, onRefresh, onClose }: RefreshDialogProps) {
  const { workspace, user } = useWorkspace();
  const client = useQueryClient();
  const names = useMemberNames();
  const { id, title, schedule, ownerId } = dashboard;
  const kept = schedule && { cron: schedule.cron, timezone: schedule.timezone, enabled: schedule.enabled };
  /** The edited schedule, with the version it is based on; null without changes. */
  const [draft, setDraft] = useState<{ value: ScheduleBody | null; base: string | null } | null>(null);
  const value = draft ? draft.value : kept;
  const stamp = schedule?.updatedAt ?? null;
  const put = useMutation({
    mutationFn: async (body: ScheduleBody | null) => {
      if (body === null) await dashboardApi.removeSchedule(workspace.id, id);
      else await dashboardApi.putSchedule(workspace.id, id, body);
    },
    onSuccess: (_, body) => {
      setDraft(null);
      announce(body === null ? "Schedule removed" : "Schedule saved");
    },
    onSettled: () => client.invalidateQueries({ queryKey: toDashboardKey(workspace.id, id) }),
  });
  const change = (next: ScheduleBody | null) => {
    put.reset();
    setDraft({ value: next, base: draft ? draft.base : stamp });
  };
  const problems = put.error instanceof ApiError ? put.error.problems : [];
  const isPlaced = problems.length > 0 && problems.every(({ path }) => path === "cron" || path === "timezone");
  const isQuarterly = value?.cron === QUARTERLY;
  return (
    <Modal
      title={`Refresh ${title}`}
      isOpen
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn share-stop" disabled={isRefreshing} onClick={onRefresh}>
            <RotateCw className="s" />
            {isRefreshing ? "Refreshing" : "Refresh now"}
          </button>
          {draft !== null && (
            <button type="button" className="btn ghost" onClick={() => setDraft(null)}>
              Discard changes
            </button>
          )}
          <button
            type="button"
            className="btn primary"
            disabled={draft === null || put.isPending || !isGoodSchedule(draft.value)}
            onClick={() => draft && put.mutate(draft.value)}
          >
            {put.isPending ? "Saving" : "Save schedule"}
          </button>
        </>
      }
    >
      <div className="share-form">
        <LastRefresh run={dashboard.lastRun} isRefreshing={isRefreshing} />
        {draft !== null && draft.base !== stamp && (
          <Notice kind="warn" role="status">
            Someone changed this schedule. Saving overwrites it.
          </Notice>
        )}
        {put.isError && !isPlaced && (
          <Notice kind="bad" role="alert">
            {toMessage(put.error)}
          </Notice>
        )}
        <div className="row">
          <button
            type="button"
            className={isQuarterly ? "chip on" : "chip"}
            aria-pressed={isQuarterly}
            onClick={() =>
              change({
                cron: QUARTERLY,
                timezone: value?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
                enabled: value?.enabled ?? true,
              })
            }
          >
            Every 15 minutes
          </button>
        </div>
        <ScheduleEditor value={value} onChange={change} problems={problems} />
        <p className="xs t3">
          {ownerId === user.id
            ? "Runs with your permissions, as owner."
            : `Runs with the permissions of its owner, ${names.get(ownerId) ?? "a former member"}.`}
        </p>
      </div>
    </Modal>
  );
}

function LastRefresh({ run, isRefreshing }: { run: Dashboard["lastRun"]; isRefreshing: boolean }) {
  const now = useNow(true, AGE_EVERY_MS);
  if (run === null)
    return (
      <p className="t2">
        {isRefreshing ? "First refresh running." : "Not refreshed yet. Data was loaded on first view."}
      </p>
    );
  const at = new Date(run.completedAt ?? run.startedAt ?? run.createdAt);
  return (
    <section className="refresh-last" aria-label="Last refresh">
      <div className="row">
        <StatusWord status={run.status} />
        <span className="t2" title={formatStamp(at)}>
          {now === null ? "" : formatAgo(at, new Date(now))}
          {run.triggerType === "scheduled" ? ", scheduled" : ", manual"}
        </span>
      </div>
      {run.error !== null && <Notice kind="bad">{run.error}</Notice>}
    </section>
  );
}
