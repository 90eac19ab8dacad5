"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { NewSnapshot } from "@/components/dashboards/new-snapshot";
import { SnapshotRow } from "@/components/dashboards/snapshot-row";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { VerifyHelp } from "@/components/notifications/verify-help";
import { SecretBanner } from "@/components/settings/secret-banner";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { PageAsk } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { Dashboard } from "@/lib/features/dashboards/schema";

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
