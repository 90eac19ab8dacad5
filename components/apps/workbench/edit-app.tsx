"use client";

import { useApp } from "@/components/apps/use-apps";
import { Workbench } from "@/components/apps/workbench/workbench";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CannotOpen } from "@/components/ui/cannot-open";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { ApiError } from "@/lib/platform/browser/request";

/** Page on which an app is edited. @param slug the app's slug or id */
export function EditApp({ slug }: { slug: string }) {
  const { workspace } = useWorkspace();
  const { data, error, refetch } = useApp(slug);
  if (data) return <Workbench key={data.id} app={data} />;
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
    return <CannotOpen what="app" back={{ href: `/w/${workspace.slug}/apps`, label: "Back to apps" }} />;
  }
  return (
    <Page title="App" isWide>
      {error ? <LoadFailure error={error} onRetry={() => refetch()} /> : <ListSkeleton label="Loading app" />}
    </Page>
  );
}
