"use client";

import { Switch } from "@base-ui/react/switch";
import { useState } from "react";
import { ChoiceFields } from "@/components/schedules/choice-fields";
import { NextRunList } from "@/components/schedules/next-run-list";
import { Segments } from "@/components/ui/segments";
import { useIsAwake } from "@/components/ui/use-browser";
import { ZoneField } from "@/components/ui/zone-field";
import { deviceZone } from "@/lib/base/values/names";
import { toNextRuns } from "@/lib/features/runs/browser/next-runs";
import {
  type ChoiceKind,
  changeKind,
  type ScheduleChoice,
  toChoice,
  toCron,
} from "@/lib/features/runs/browser/schedule-choice";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";
import type { ScheduleBody } from "@/lib/features/runs/schedules/schema";
import "./schedules.css";

type Kind = ChoiceKind | "none";
const KINDS: { value: Kind; label: string }[] = [
  { value: "none", label: "None" },
  { value: "hourly", label: "Hourly" },
  { value: "daily", label: "Daily" },
  { value: "weekly", label: "Weekly" },
  { value: "monthly", label: "Monthly" },
  { value: "custom", label: "Custom" },
];
/** Initial choice: before the working day starts. */
const FIRST: ScheduleChoice = { kind: "daily", time: "07:00" };

export type ScheduleField = "cron" | "timezone";

type ScheduleEditorProps = {
  /** Null for no schedule. */
  value: ScheduleBody | null;
  onChange: (value: ScheduleBody | null) => void;
  readOnly?: boolean;
  /** Returns the server's problem of a field. Problems found here do not need it. */
  problemOf?: (field: ScheduleField) => string | undefined;
};

/**
 * Edits a schedule: a preset or a cron expression, its time zone, and the next runs. `isGoodSchedule` decides whether a
 * value may be saved.
 */
export function ScheduleEditor({ value, onChange, readOnly = false, problemOf }: ScheduleEditorProps) {
  const [draft, setDraft] = useState<ScheduleChoice>(() => (value ? toChoice(value.cron) : FIRST));
  // The next runs use this computer's clock and zones, which a server does not have.
  const isAwake = useIsAwake();
  const now = useNowOnce(value);
  // The value from outside takes precedence; the last choice is kept if several choices are equivalent.
  const choice = value === null || toCron(draft) === value.cron ? draft : toChoice(value.cron);
  const put = (next: ScheduleChoice) => {
    setDraft(next);
    onChange({
      cron: toCron(next),
      timezone: value?.timezone ?? deviceZone(),
      enabled: value?.enabled ?? true,
    });
  };
  const choose = (kind: Kind) => {
    if (kind === "none") onChange(null);
    else put(changeKind(choice, kind));
  };
  if (!isAwake) return <div className="schedule-editor" aria-busy="true" />;
  const next = value && toNextRuns(value.cron, value.timezone, now);
  const wrong = (field: ScheduleField) =>
    next?.isGood === false && next.field === field ? next.message : (problemOf?.(field) ?? null);
  const cronError = choice.kind === "weekly" && choice.days.length === 0 ? "Select at least one day." : wrong("cron");
  return (
    <fieldset className="schedule-editor" disabled={readOnly}>
      <legend className="sr-only">Schedule</legend>
      <div>
        <Segments label="Frequency" value={value ? choice.kind : "none"} options={KINDS} onChange={choose} />
      </div>
      {value && next && (
        <>
          <div className="schedule-fields">
            <ChoiceFields choice={choice} onChange={put} readOnly={readOnly} error={cronError} />
            <ZoneField
              value={value.timezone}
              onChange={(timezone) => onChange({ ...value, timezone })}
              readOnly={readOnly}
              error={wrong("timezone")}
            />
          </div>
          <div className="row schedule-words">
            <p className="b6 grow">{next.isGood && (toScheduleWords(value.cron) ?? "Custom schedule")}</p>
            <span className="xs t2" aria-hidden="true">
              {value.enabled ? "On" : "Off"}
            </span>
            <Switch.Root
              className="switch"
              checked={value.enabled}
              disabled={readOnly}
              onCheckedChange={(enabled) => onChange({ ...value, enabled })}
              aria-label="Enable schedule"
            >
              <Switch.Thumb className="switch-thumb" />
            </Switch.Root>
          </div>
          {next.isGood && <NextRunList runs={next.runs} isOn={value.enabled} zone={value.timezone} />}
        </>
      )}
    </fieldset>
  );
}

/**
 * Returns the problem of a schedule by field; empty if the server will accept it: null, or an expression and a zone with
 * a next run.
 */
export function findScheduleProblems(value: ScheduleBody | null): Partial<Record<`schedule.${ScheduleField}`, string>> {
  const next = value && toNextRuns(value.cron, value.timezone, new Date());
  return next === null || next.isGood ? {} : { [`schedule.${next.field}`]: next.message };
}

/** Returns whether the server will accept a schedule. */
export function isGoodSchedule(value: ScheduleBody | null): boolean {
  return Object.keys(findScheduleProblems(value)).length === 0;
}

/** Returns the time when the value was given; rendering again does not change it. */
function useNowOnce(value: ScheduleBody | null): Date {
  const [state, setState] = useState(() => ({ value, now: new Date() }));
  if (state.value === value) return state.now;
  const fresh = { value, now: new Date() };
  setState(fresh);
  return fresh.now;
}
