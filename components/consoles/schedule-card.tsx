"use client";

import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { ConsoleDetails } from "@/components/consoles/console-dialogs";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useTabConsoles } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";
import { isGoodSchedule, ScheduleEditor } from "@/components/schedules/schedule-editor";
import { useScheduleForm } from "@/components/schedules/use-schedule-form";
import { useChange, useMemberNames } from "@/components/settings/use-settings";
import { FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { showFailure, showToast } from "@/components/ui/toast";
import { useOutage } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import type { Console } from "@/lib/features/consoles/schema";
import { runsApi } from "@/lib/features/runs/browser/client";
import { scheduleApi } from "@/lib/features/runs/browser/schedules";
import type { Schedule, ScheduleBody } from "@/lib/features/runs/schedules/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

type ScheduleCardProps = { saved: Console; hasEdits: boolean; onStarted: (runId: string) => void };

/** Schedule of the console, with a button to run it now. */
export function ScheduleCard({ saved, hasEdits, onStarted }: ScheduleCardProps) {
  const { workspace, user } = useWorkspace();
  const outage = useOutage();
  const { open } = useConsoleActions();
  const names = useMemberNames();
  // The list follows changes of others; the console itself was read when it was opened.
  const listed = useTabConsoles().find(({ id }) => id === saved.id);
  const kept = listed ? listed.schedule : saved.schedule;
  const change = useChange(["consoles"], (body: ScheduleBody | null) =>
    body === null ? scheduleApi.remove(workspace.id, saved.id) : scheduleApi.put(workspace.id, saved.id, body),
  );
  const form = useScheduleForm({ kept: toBody(kept), stamp: kept?.updatedAt ?? null, save: change.mutateAsync });
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

  const [remove] = useSingleFlight(async () => {
    const before = toBody(kept);
    if (before === null) return;
    try {
      await change.mutateAsync(null);
      showToast("Schedule removed", {
        id: "schedule-removed",
        action: { label: "Undo", onClick: () => change.mutate(before) },
      });
    } catch (error) {
      showFailure(toMessage(error));
    }
  });
  const owner = kept && (kept.ownerId === user.id ? "you" : (names.get(kept.ownerId) ?? "a former member"));
  return (
    <section className="card" aria-label="Schedule">
      <form {...form.formProps} className="schedule-card">
        <div className="row between">
          <h2 className="sh">Schedule</h2>
          <button type="button" className="btn ghost sm" onClick={() => open(saved.id)}>
            View query
          </button>
        </div>
        {form.isStale && (
          <Notice
            kind="warn"
            role="status"
            action={
              <button type="button" className="btn sm" onClick={form.discard}>
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
        <FormFailure text={form.failure} />
        <ScheduleEditor value={form.value} onChange={form.change} problemOf={form.problemOf} />
        {owner && (
          <p className="xs t3">
            {owner === "you"
              ? "Runs with your permissions."
              : `Runs with ${owner}'s permissions. If you save it, yours apply.`}
          </p>
        )}
        <ExpectedRows saved={saved} />
        {reason && <p className="xs t2">{reason}</p>}
        <Actions
          isKept={kept !== null}
          isEdited={form.isDirty}
          canSave={form.isDirty && isGoodSchedule(form.value) && reason === null}
          isSaving={form.isBusy || change.isPending}
          canRun={reason === null && !start.isPending}
          onRun={() => start.mutate()}
          onRemove={() => void remove()}
          onDiscard={form.discard}
        />
      </form>
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
      <button type="submit" className="btn primary" disabled={!canSave || isSaving}>
        {isSaving ? "Saving" : "Save schedule"}
      </button>
    </div>
  );
}

/** The conditions on a run's result, with a button to change them. */
function ExpectedRows({ saved }: { saved: Console }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="row between">
      <p className="xs t3">{toWords(saved.expect ?? {}) || "Runs succeed with any number of rows."}</p>
      <button type="button" className="btn ghost sm" onClick={() => setIsOpen(true)}>
        Edit expected rows
      </button>
      {isOpen && <ConsoleDetails saved={saved} onClose={() => setIsOpen(false)} />}
    </div>
  );
}

/** Describes the conditions on a run's result. Empty without any. */
function toWords({ minRows, maxRows }: NonNullable<Console["expect"]>): string {
  const bounds = [
    ...(minRows === undefined ? [] : [`fewer than ${formatCountOf(minRows, "row")}`]),
    ...(maxRows === undefined ? [] : [`more than ${formatCountOf(maxRows, "row")}`]),
  ];
  return bounds.length === 0 ? "" : `Runs with ${bounds.join(" or ")} fail.`;
}

function toBody(schedule: Schedule | null): ScheduleBody | null {
  if (schedule === null) return null;
  const { cron, timezone, enabled } = schedule;
  return { cron, timezone, enabled };
}
