"use client";

import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useConsoleList } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";
import { isGoodSchedule, ScheduleEditor } from "@/components/schedules/schedule-editor";
import { useChange, useMemberNames } from "@/components/settings/use-settings";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { showFailure, showToast } from "@/components/ui/toast";
import { useOutage } from "@/components/ui/use-browser";
import type { Console } from "@/lib/features/consoles/browser/client";
import { runsApi } from "@/lib/features/runs/browser/client";
import { type Schedule, type ScheduleBody, scheduleApi } from "@/lib/features/runs/browser/schedules";
import { ApiError } from "@/lib/platform/browser/request";

type ScheduleCardProps = { saved: Console; hasEdits: boolean; onStarted: (runId: string) => void };

/** Schedule of the console, with a button to run it now. */
export function ScheduleCard({ saved, hasEdits, onStarted }: ScheduleCardProps) {
  const { workspace, user } = useWorkspace();
  const outage = useOutage();
  const { open } = useConsoleActions();
  const names = useMemberNames();
  const { data: list } = useConsoleList();
  // The list follows changes of others; the console itself was read when it was opened.
  const listed = list?.find(({ id }) => id === saved.id);
  const kept = listed ? listed.schedule : saved.schedule;
  /** Edited schedule and the version that the edit is based on; null while nothing is edited. */
  const [draft, setDraft] = useState<{ value: ScheduleBody | null; base: string | null } | null>(null);
  const value = draft ? draft.value : toBody(kept);
  const isStale = draft !== null && draft.base !== toStamp(kept);
  const put = useChange(["consoles"], (body: ScheduleBody | null) =>
    body === null ? scheduleApi.remove(workspace.id, saved.id) : scheduleApi.put(workspace.id, saved.id, body),
  );
  const start = useMutation({
    mutationFn: () => runsApi.startOfConsole(workspace.id, saved.id),
    onSuccess: ({ run }) => {
      announce("Run queued");
      onStarted(run.id);
    },
    onError: (error) => showFailure(toMessage(error)),
  });
  const reason =
    outage !== null
      ? `${outage}. Try again when you reconnect.`
      : saved.content.trim() === ""
        ? "Nothing to run. Write and save a query first."
        : saved.connectionId === null
          ? "No connection. Choose one and save the console."
          : null;

  const save = () => {
    if (draft === null || put.isPending || !isGoodSchedule(draft.value)) return;
    put.mutate(draft.value, {
      onSuccess: () => {
        setDraft(null);
        announce(draft.value === null ? "Schedule removed" : "Schedule saved");
      },
    });
  };
  const remove = () => {
    const before = toBody(kept);
    if (before === null || put.isPending) return;
    put.mutate(null, {
      onSuccess: () => {
        setDraft(null);
        showToast("Schedule removed", {
          id: "schedule-removed",
          action: { label: "Undo", onClick: () => put.mutate(before) },
        });
      },
      onError: (error) => showFailure(toMessage(error)),
    });
  };
  const owner = kept && (kept.ownerId === user.id ? "you" : (names.get(kept.ownerId) ?? "a former member"));
  const problems = put.error instanceof ApiError ? put.error.problems : [];
  const isPlaced = problems.length > 0 && problems.every(({ path }) => path === "cron" || path === "timezone");
  return (
    <section className="card schedule-card" aria-label="Schedule">
      <div className="row between">
        <h2 className="sh">Schedule</h2>
        <button type="button" className="btn ghost sm" onClick={() => open(saved.id)}>
          View query
        </button>
      </div>
      {isStale && (
        <Notice
          kind="warn"
          role="status"
          action={
            <button type="button" className="btn sm" onClick={() => setDraft(null)}>
              Reload schedule
            </button>
          }
        >
          {kept
            ? `${kept.ownerId === user.id ? "You" : (names.get(kept.ownerId) ?? "Someone")} changed this schedule. Saving overwrites it.`
            : "This schedule was removed. Saving adds it back."}
        </Notice>
      )}
      {hasEdits && <Notice kind="info">Scheduled runs use the saved version, not your draft.</Notice>}
      {put.isError && !isPlaced && (
        <Notice kind="bad" role="alert">
          {toMessage(put.error)}
        </Notice>
      )}
      <ScheduleEditor
        value={value}
        onChange={(next) => {
          put.reset();
          setDraft({ value: next, base: draft ? draft.base : toStamp(kept) });
        }}
        problems={problems}
      />
      {owner && (
        <p className="xs t3">
          {owner === "you"
            ? "Runs with your permissions."
            : `Runs with ${owner}'s permissions. If you save it, yours apply.`}
        </p>
      )}
      {reason && <p className="xs t2">{reason}</p>}
      <Actions
        isKept={kept !== null}
        isEdited={draft !== null}
        canSave={draft !== null && isGoodSchedule(draft.value) && reason === null}
        isSaving={put.isPending}
        canRun={reason === null && !start.isPending}
        onRun={() => start.mutate()}
        onRemove={remove}
        onDiscard={() => setDraft(null)}
        onSave={save}
      />
    </section>
  );
}

type ActionsProps = {
  /** Whether the console has a schedule. */
  isKept: boolean;
  isEdited: boolean;
  canSave: boolean;
  isSaving: boolean;
  canRun: boolean;
  onRun: () => void;
  onRemove: () => void;
  onDiscard: () => void;
  onSave: () => void;
};

function Actions({ isKept, isEdited, canSave, isSaving, canRun, ...on }: ActionsProps) {
  const outage = useOutage();
  return (
    <div className="row schedule-acts">
      <button type="button" className="btn run" aria-disabled={!canRun} onClick={() => canRun && on.onRun()}>
        <Play className="s" />
        Run now
      </button>
      <span className="grow" />
      {isKept && !isEdited && (
        <button type="button" className="btn ghost" disabled={isSaving || outage !== null} onClick={on.onRemove}>
          Remove schedule
        </button>
      )}
      {isEdited && (
        <button type="button" className="btn ghost" onClick={on.onDiscard}>
          Discard changes
        </button>
      )}
      <button type="button" className="btn primary" disabled={!canSave || isSaving} onClick={on.onSave}>
        {isSaving ? "Saving" : "Save schedule"}
      </button>
    </div>
  );
}

function toBody(schedule: Schedule | null): ScheduleBody | null {
  if (schedule === null) return null;
  const { cron, timezone, enabled } = schedule;
  return { cron, timezone, enabled };
}

/** Returns a text that identifies a state of the schedule; null without a schedule. */
function toStamp(schedule: Schedule | null): string | null {
  return schedule?.updatedAt ?? null;
}
