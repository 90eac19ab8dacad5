"use client";

import { useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useId } from "react";
import { toDashboardKey } from "@/components/dashboards/use-dashboards";
import { useWorkspace } from "@/components/layout/workspace-context";
import { StatusWord } from "@/components/runs/status-word";
import { isGoodSchedule, ScheduleEditor } from "@/components/schedules/schedule-editor";
import { useScheduleForm } from "@/components/schedules/use-schedule-form";
import { useMemberNames } from "@/components/settings/use-settings";
import { FormFailure } from "@/components/ui/form-parts";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { useNow } from "@/components/ui/use-browser";
import { deviceZone } from "@/lib/base/values/names";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { Dashboard } from "@/lib/features/dashboards/schema";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";

const QUARTERLY = "*/15 * * * *";
const AGE_EVERY_MS = 15_000;

type RefreshDialogProps = { dashboard: Dashboard; isRefreshing: boolean; onRefresh: () => void; onClose: () => void };

/** Refresh schedule of a dashboard, the result of its last refresh, and a button to refresh now. */
export function RefreshDialog({ dashboard, isRefreshing, onRefresh, onClose }: RefreshDialogProps) {
  const { workspace, user } = useWorkspace();
  const client = useQueryClient();
  const formId = useId();
  const names = useMemberNames();
  const { id, title, schedule, ownerId } = dashboard;
  const kept = schedule && { cron: schedule.cron, timezone: schedule.timezone, enabled: schedule.enabled };
  const form = useScheduleForm({
    kept,
    stamp: schedule?.updatedAt ?? null,
    save: async (body) => {
      if (body === null) await dashboardApi.removeSchedule(workspace.id, id);
      else await dashboardApi.putSchedule(workspace.id, id, body);
      await client.invalidateQueries({ queryKey: toDashboardKey(workspace.id, id) });
    },
  });
  const { value, change } = form;
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
          {form.isDirty && (
            <button type="button" className="btn ghost" onClick={form.discard}>
              Discard changes
            </button>
          )}
          <button
            type="submit"
            form={formId}
            className="btn primary"
            disabled={!form.isDirty || form.isBusy || !isGoodSchedule(value)}
          >
            {form.isBusy ? "Saving" : "Save schedule"}
          </button>
        </>
      }
    >
      <form {...form.formProps} id={formId} className="share-form" aria-label="Refresh schedule">
        <LastRefresh run={dashboard.lastRun} isRefreshing={isRefreshing} />
        {form.isStale && (
          <Notice kind="warn" role="status">
            Someone changed this schedule. Saving overwrites it.
          </Notice>
        )}
        <FormFailure text={form.failure} />
        <div className="row">
          <button
            type="button"
            className={isQuarterly ? "chip on" : "chip"}
            aria-pressed={isQuarterly}
            onClick={() =>
              change({
                cron: QUARTERLY,
                timezone: value?.timezone ?? deviceZone(),
                enabled: value?.enabled ?? true,
              })
            }
          >
            Every 15 minutes
          </button>
        </div>
        <ScheduleEditor value={value} onChange={change} problemOf={form.problemOf} />
        <p className="xs t3">
          {ownerId === user.id
            ? "Runs with your permissions, as owner."
            : `Runs with the permissions of its owner, ${names.get(ownerId) ?? "a former member"}.`}
        </p>
      </form>
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
