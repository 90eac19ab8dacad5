"use client";

import { Switch } from "@base-ui/react/switch";
import { useMutation } from "@tanstack/react-query";
import { Send, Trash2 } from "lucide-react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ChannelIcon, toRuleName } from "@/components/notifications/rule-words";
import { StatusWord } from "@/components/runs/status-word";
import { toMessage } from "@/components/ui/to-message";
import { showFailure, showToast } from "@/components/ui/toast";
import { useSingleMutation } from "@/components/ui/use-single-flight";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { Snapshot } from "@/lib/features/notifications/snapshot-schema";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";
import { formatStamp } from "@/lib/platform/browser/format-time";

/** A snapshot in the list, with its switch and the result of its last delivery. */
export function SnapshotRow({ snapshot, onChanged }: { snapshot: Snapshot; onChanged: () => Promise<void> }) {
  const { workspace } = useWorkspace();
  const { id, dashboardId, channelType, cron, timezone, enabled, theme, withPdf, lastDelivery } = snapshot;
  const change = useSingleMutation(
    useMutation({
      mutationFn: (work: () => Promise<unknown>) => work(),
      onError: (error) => showFailure(toMessage(error)),
      onSettled: onChanged,
    }),
  );
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
