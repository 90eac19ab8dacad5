"use client";

import { useEffect, useEffectEvent } from "react";
import { findScheduleProblems, type ScheduleField } from "@/components/schedules/schedule-editor";
import { announce } from "@/components/ui/live-region";
import { useServerForm } from "@/components/ui/use-server-form";
import type { ScheduleBody } from "@/lib/features/runs/schedules/schema";

type ScheduleFormProps = {
  /** Stored schedule; null without one. */
  kept: ScheduleBody | null;
  /** Text that identifies the stored state; null without a schedule. */
  stamp: string | null;
  save: (schedule: ScheduleBody | null) => Promise<unknown>;
};

/** The form of one stored schedule. Follows the stored one until it is edited. */
export function useScheduleForm({ kept, stamp, save }: ScheduleFormProps) {
  const server = useServerForm<{ schedule: ScheduleBody | null; stamp: string | null }>({
    initial: { schedule: kept, stamp },
    fields: ["schedule.cron", "schedule.timezone"],
    fieldOf: (path) => (path === "cron" || path === "timezone" ? `schedule.${path}` : null),
    check: ({ schedule }) => findScheduleProblems(schedule),
    send: async ({ schedule }, form) => {
      await save(schedule);
      form.reset({ schedule, stamp });
      announce(schedule === null ? "Schedule removed" : "Schedule saved");
    },
  });
  const { form, formProps, failure, isBusy, isDirty, control, problemOf } = server;
  const { reset } = form;
  const discard = () => reset({ schedule: kept, stamp });
  const follow = useEffectEvent(() => {
    if (!isDirty) discard();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp identifies the stored schedule
  useEffect(() => follow(), [stamp, isDirty]);
  const schedule = control("schedule");
  return {
    formProps,
    failure,
    isBusy,
    isDirty,
    value: schedule.value,
    change: schedule.onChange,
    problemOf: (field: ScheduleField) => problemOf(`schedule.${field}`),
    /** Whether someone else changed the stored schedule since editing started. */
    isStale: isDirty && !isBusy && form.formState.defaultValues?.stamp !== stamp,
    discard,
  };
}
