"use client";

import { Switch } from "@base-ui/react/switch";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import {
  type ChannelDraft,
  channelFieldNames,
  findChannelProblems,
  type Problems,
  toChannelDraft,
  toChannelFields,
  toFieldProblems,
} from "@/components/notifications/channel-draft";
import { ChannelFields } from "@/components/notifications/channel-fields";
import { ChannelIcon, toRuleName } from "@/components/notifications/rule-words";
import { VerifyHelp } from "@/components/notifications/verify-help";
import { StatusWord } from "@/components/runs/status-word";
import { isGoodSchedule, ScheduleEditor } from "@/components/schedules/schedule-editor";
import { SecretBanner } from "@/components/settings/secret-banner";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { toMessage } from "@/components/ui/to-message";
import { showFailure, showToast } from "@/components/ui/toast";
import { useSingleMutation } from "@/components/ui/use-single-flight";
import {
  type CreateSnapshotBody,
  type Dashboard,
  dashboardApi,
  type Snapshot,
} from "@/lib/features/dashboards/browser/client";
import type { PageAsk } from "@/lib/features/dashboards/browser/dashboard-choice";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";
import type { ScheduleBody } from "@/lib/features/runs/browser/schedules";
import { formatStamp } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";

const THEMES: { value: Snapshot["theme"]; label: string }[] = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const MONDAYS = "0 8 * * 1";

type SnapshotsProps = {
  dashboard: Pick<Dashboard, "id" | "title">;
  /** Current filters of the page: a new snapshot stores them. */
  asked: PageAsk;
};

/** Scheduled snapshots of a dashboard: recipients, schedule and the result of the last one. */
export function Snapshots({ dashboard, asked }: SnapshotsProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const key = ["dashboard-snapshots", workspace.id, dashboard.id];
  const snapshots = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => dashboardApi.listSnapshots(workspace.id, dashboard.id, signal),
  });
  const readAgain = () => client.invalidateQueries({ queryKey: key });
  useLive((event) => {
    if (event.kind !== "reset" && (event.kind !== "delivery" || event.data.resourceId !== dashboard.id)) return;
    void readAgain();
  });
  const [fresh, setFresh] = useState<{ name: string; secret: string } | null>(null);
  return (
    <section className="snapshots" aria-labelledby="snapshots-head">
      <div className="row">
        <h3 id="snapshots-head" className="grow">
          Snapshots
        </h3>
        <span className="xs t3">Scheduled images of this dashboard</span>
      </div>
      {fresh && (
        <SecretBanner
          name={`signing secret for ${fresh.name}`}
          noun="secret"
          secret={fresh.secret}
          lost="You won't see it again. If you lose it, recreate the snapshot."
          onSaved={() => setFresh(null)}
        >
          <VerifyHelp />
        </SecretBanner>
      )}
      {snapshots.isError ? (
        <LoadFailure error={snapshots.error} onRetry={() => snapshots.refetch()} />
      ) : snapshots.data === undefined ? (
        <ListSkeleton label="Loading snapshots" />
      ) : (
        <ul className="snapshot-list">
          {snapshots.data.map((snapshot) => (
            <SnapshotRow key={snapshot.id} snapshot={snapshot} onChanged={readAgain} />
          ))}
        </ul>
      )}
      <NewSnapshot
        dashboardId={dashboard.id}
        asked={asked}
        onAdded={(name, secret) => {
          void readAgain();
          if (secret !== undefined) setFresh({ name, secret });
        }}
      />
    </section>
  );
}

function SnapshotRow({ snapshot, onChanged }: { snapshot: Snapshot; onChanged: () => Promise<void> }) {
  const { workspace } = useWorkspace();
  const { id, dashboardId, channelType, cron, timezone, enabled, theme, withPdf, lastDelivery } = snapshot;
  const change = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onError: (error) => showFailure(toMessage(error)),
    onSettled: onChanged,
  });
  const name = toRuleName(snapshot);
  return (
    <li className="snapshot-row">
      <ChannelIcon type={channelType} />
      <div className="grow">
        <p className="b5 trunc" title={name}>
          {name}
        </p>
        <p className="xs t3">
          {toScheduleWords(cron) ?? cron}, {timezone}
          {theme === "dark" && ", dark"}
          {withPdf && ", with PDF"}
        </p>
        {lastDelivery && (
          <p className="xs" title={lastDelivery.lastError ?? undefined}>
            <StatusWord status={lastDelivery.status} more={` ${formatStamp(new Date(lastDelivery.createdAt))}`} />
            {lastDelivery.lastError !== null && <span className="t3">: {lastDelivery.lastError}</span>}
          </p>
        )}
      </div>
      <button
        type="button"
        className="btn ghost icon"
        aria-label={`Send to ${name} now`}
        title="Send now"
        disabled={!enabled || change.isPending}
        onClick={() =>
          change.mutate(async () => {
            await dashboardApi.sendSnapshot(workspace.id, dashboardId, id);
            showToast("Snapshot queued");
          })
        }
      >
        <Send className="s" />
      </button>
      <button
        type="button"
        className="btn ghost icon"
        aria-label={`Delete snapshot to ${name}`}
        title="Delete"
        disabled={change.isPending}
        onClick={() => change.mutate(() => dashboardApi.removeSnapshot(workspace.id, dashboardId, id))}
      >
        <Trash2 className="s" />
      </button>
      <Switch.Root
        className="switch"
        checked={enabled}
        disabled={change.isPending}
        aria-label={`Snapshot to ${name}`}
        onCheckedChange={(isOn) =>
          change.mutate(() => dashboardApi.updateSnapshot(workspace.id, dashboardId, id, { enabled: isOn }))
        }
      >
        <Switch.Thumb className="switch-thumb" />
      </Switch.Root>
    </li>
  );
}

type NewSnapshotProps = {
  dashboardId: string;
  asked: PageAsk;
  onAdded: (name: string, secret: string | undefined) => void;
};

function NewSnapshot({ dashboardId, asked, onAdded }: NewSnapshotProps) {
  const { workspace } = useWorkspace();
  const [channel, setChannel] = useState<ChannelDraft>(toChannelDraft(null));
  const [theme, setTheme] = useState<Snapshot["theme"]>("light");
  const [withPdf, setWithPdf] = useState(false);
  const [schedule, setSchedule] = useState<ScheduleBody | null>({
    cron: MONDAYS,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    enabled: true,
  });
  const [found, setFound] = useState<Problems>({});
  const add = useSingleMutation(
    useMutation({
      mutationFn: (body: CreateSnapshotBody) => dashboardApi.createSnapshot(workspace.id, dashboardId, body),
      onSuccess: (saved) => {
        setChannel(({ type }) => ({ type, texts: {} }));
        announce("Snapshot created");
        onAdded(toRuleName(saved), saved.signingSecretOnce);
      },
    }),
  );
  const problems = add.error instanceof ApiError ? add.error.problems : [];
  const ofChannel = toFieldProblems(add.error, channelFieldNames(channel));
  const ofSchedule = problems.some(({ path }) => path === "cron" || path === "timezone");
  const submit = () => {
    const wrong = {
      ...findChannelProblems(channel, null),
      ...(schedule === null && { schedule: "Select a schedule." }),
    };
    setFound(wrong);
    const [first] = Object.values(wrong);
    if (first !== undefined) announce(first, true);
    if (first !== undefined || schedule === null) return;
    const { cron, timezone } = schedule;
    const look = { filters: asked.filters, grain: asked.grain ?? null, compare: asked.compare ?? null };
    const common = { cron, timezone, enabled: true, ...look, theme, withPdf };
    add.mutate({ ...common, ...toChannelFields(channel, null) } as CreateSnapshotBody);
  };
  const isNarrowed = Object.keys(asked.filters).length > 0 || asked.grain !== undefined || asked.compare !== undefined;
  return (
    <form
      className="snapshot-new"
      aria-label="New snapshot"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h4>New snapshot</h4>
      <ChannelFields
        draft={channel}
        saved={null}
        problems={{ ...ofChannel, ...found }}
        onChange={(next) => {
          if (next.type !== channel.type) {
            setFound({});
            add.reset();
          }
          setChannel(next);
        }}
      />
      <ScheduleEditor value={schedule} onChange={setSchedule} problems={problems} />
      <div className="row wrap">
        <Segments label="Theme" value={theme} options={THEMES} onChange={setTheme} />
        <label className="row">
          <input type="checkbox" checked={withPdf} onChange={({ target }) => setWithPdf(target.checked)} />
          Attach PDF
        </label>
      </div>
      {found.schedule && <Notice kind="bad">{found.schedule}</Notice>}
      {add.isError && ofChannel === null && !ofSchedule && (
        <Notice kind="bad" role="alert">
          {toMessage(add.error)}
        </Notice>
      )}
      <p className="xs t3">
        {isNarrowed ? "Uses the current filters, time grain and comparison." : "Uses the default filters."}
      </p>
      <div className="row end">
        <button type="submit" className="btn" disabled={add.isPending || !isGoodSchedule(schedule)}>
          {add.isPending ? "Creating" : "Create snapshot"}
        </button>
      </div>
    </form>
  );
}
