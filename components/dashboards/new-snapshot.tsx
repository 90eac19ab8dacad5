"use client";

import type { FieldPath } from "react-hook-form";
import { useWorkspace } from "@/components/layout/workspace-context";
import {
  type ChannelDraft,
  findChannelProblems,
  toChannelDraft,
  toChannelField,
  toChannelFields,
  toChannelProblems,
} from "@/components/notifications/channel-draft";
import { ChannelFields } from "@/components/notifications/channel-fields";
import { toRuleName } from "@/components/notifications/rule-words";
import { findScheduleProblems, ScheduleEditor } from "@/components/schedules/schedule-editor";
import { FieldProblem, FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { Segments } from "@/components/ui/segments";
import { type FieldProblems, useServerForm } from "@/components/ui/use-server-form";
import { deviceZone } from "@/lib/base/values/names";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { PageAsk } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { CreateSnapshotBody, Snapshot } from "@/lib/features/notifications/snapshot-schema";
import type { ScheduleBody } from "@/lib/features/runs/schedules/schema";

const THEMES: { value: Snapshot["theme"]; label: string }[] = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const MONDAYS = "0 8 * * 1";

type Draft = { channel: ChannelDraft; schedule: ScheduleBody | null; theme: Snapshot["theme"]; withPdf: boolean };

type NewSnapshotProps = {
  dashboardId: string;
  /** Current filters of the page, which the snapshot stores. */
  asked: PageAsk;
  onAdded: (name: string, secret: string | undefined) => void;
};

/** Form for a new snapshot: its channel, schedule and look. */
export function NewSnapshot({ dashboardId, asked, onAdded }: NewSnapshotProps) {
  const { workspace } = useWorkspace();
  const { form, formProps, failure, isBusy, control, problemOf } = useServerForm<Draft>({
    initial: {
      channel: toChannelDraft(null),
      schedule: { cron: MONDAYS, timezone: deviceZone(), enabled: true },
      theme: "light",
      withPdf: false,
    },
    fields: ["channel", "schedule"],
    fieldOf: (path, { channel }) => toField(path, channel),
    check: findProblems,
    send: async (draft, form) => {
      const saved = await dashboardApi.createSnapshot(workspace.id, dashboardId, toBody(draft, asked));
      form.reset({ ...draft, channel: { type: draft.channel.type, texts: {} } });
      announce("Snapshot created");
      onAdded(toRuleName(saved), saved.signingSecretOnce);
    },
  });
  const channel = control("channel");
  const schedule = control("schedule");
  const withPdf = control("withPdf");
  const scheduleProblem = problemOf("schedule");
  const isNarrowed = Object.keys(asked.filters).length > 0 || asked.grain !== undefined || asked.compare !== undefined;
  return (
    <form {...formProps} className="snapshot-new" aria-label="New snapshot">
      <h4>New snapshot</h4>
      <FormFailure text={failure} />
      <ChannelFields
        draft={channel.value}
        saved={null}
        problems={toChannelProblems(channel.value, (name) => problemOf(`channel.texts.${name}`))}
        onChange={(next) => {
          if (next.type === channel.value.type) return channel.onChange(next);
          form.clearErrors();
          form.setValue("channel", next, { shouldDirty: true });
        }}
      />
      <div className="field" data-invalid={scheduleProblem === undefined ? undefined : true}>
        <ScheduleEditor {...schedule} problemOf={(field) => problemOf(`schedule.${field}`)} />
        <FieldProblem text={scheduleProblem} />
      </div>
      <div className="row wrap">
        <Segments label="Theme" {...control("theme")} options={THEMES} />
        <label className="row">
          <input type="checkbox" checked={withPdf.value} onChange={({ target }) => withPdf.onChange(target.checked)} />
          Attach PDF
        </label>
      </div>
      <p className="xs t3">
        {isNarrowed ? "Uses the current filters, time grain and comparison." : "Uses the default filters."}
      </p>
      <div className="row end">
        <button type="submit" className="btn" disabled={isBusy}>
          {isBusy ? "Creating" : "Create snapshot"}
        </button>
      </div>
    </form>
  );
}

function findProblems({ channel, schedule }: Draft): FieldProblems<Draft> {
  const ofChannel = Object.entries(findChannelProblems(channel, null));
  return {
    ...Object.fromEntries(ofChannel.map(([name, problem]) => [`channel.texts.${name}`, problem])),
    ...findScheduleProblems(schedule),
    ...(schedule === null && { schedule: "Select a schedule." }),
  };
}

/** Returns the field of a path in the request. */
function toField(path: string, channel: ChannelDraft): FieldPath<Draft> | null {
  const [name = ""] = path.split(".");
  if (name === "cron" || name === "timezone") return `schedule.${name}`;
  return toChannelField(path, channel);
}

function toBody(
  { channel, schedule, theme, withPdf }: Draft,
  { filters, grain, compare }: PageAsk,
): CreateSnapshotBody {
  if (schedule === null) throw new Error("Select a schedule.");
  const { cron, timezone } = schedule;
  const look = { filters, grain: grain ?? null, compare: compare ?? null, theme, withPdf };
  return { cron, timezone, enabled: true, ...look, ...toChannelFields(channel, null) } as CreateSnapshotBody;
}
