"use client";

import { DashboardEditor } from "@/components/dashboards/edit/dashboard-editor";
import { useDashboard } from "@/components/dashboards/use-dashboards";
import { useSentDraft } from "@/components/dashboards/use-own-draft";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CannotOpen } from "@/components/ui/cannot-open";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { ApiError } from "@/lib/platform/browser/request";

/** The page that edits one dashboard. */
export function EditDashboard({ dashboardId }: { dashboardId: string }) {
  const { workspace } = useWorkspace();
  const root = `/w/${workspace.slug}/dashboards`;
  const { data, error, refetch } = useDashboard(dashboardId);
  // It is read when the editor opens; afterwards, the editor writes it.
  const draft = useSentDraft(dashboardId, { staleTime: Number.POSITIVE_INFINITY });
  if (data && draft.isFetched) return <DashboardEditor dashboard={data} draft={draft.data} root={root} />;
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
    return <CannotOpen what="dashboard" back={{ href: root, label: "Back to dashboards" }} />;
  }
  return (
    <Page title="Edit dashboard" isWide>
      {error ? <LoadFailure error={error} onRetry={() => refetch()} /> : <ListSkeleton label="Loading dashboard" />}
    </Page>
  );
}
