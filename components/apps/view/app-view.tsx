"use client";

import { Maximize, Pencil, RefreshCw, Rocket, Share2 } from "lucide-react";
import Link from "next/link";
import { useRef, useState } from "react";
import { ShareApp } from "@/components/apps/share-app";
import { toAppKey, useApp } from "@/components/apps/use-apps";
import { AppFrame } from "@/components/apps/view/app-frame";
import { ShowExplorer } from "@/components/layout/show-explorer";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CannotOpen } from "@/components/ui/cannot-open";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { appApi } from "@/lib/features/apps/browser/client";
import { ApiError } from "@/lib/platform/browser/request";
import "@/components/ui/page.css";
import "./app-view.css";

/** Page of a published app. */
export function AppView({ slug }: { slug: string }) {
  const { workspace } = useWorkspace();
  const { data: app, error, refetch } = useApp(slug);
  useRefresh([toAppKey(workspace.id, slug)], ({ kind, data }) => kind === "app" && data.resourceType === "app");
  const host = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<string | null>(null);
  const [opened, setOpened] = useState(0);
  const [isSharing, setIsSharing] = useState(false);
  const root = `/w/${workspace.slug}/apps`;
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
    return <CannotOpen what="app" back={{ href: root, label: "Back to apps" }} />;
  }
  const isPublished = app !== undefined && app.publishedSha !== null;
  const isOlder = isPublished && shown !== null && shown !== app.publishedSha;
  return (
    <main className="page app-view" aria-labelledby="page-title">
      <div className="app-bar">
        <ShowExplorer />
        <h1 id="page-title" className="trunc">
          {app?.title ?? "App"}
        </h1>
        <span className="grow" />
        {isPublished && (
          <button type="button" className="btn ghost sm" onClick={() => void host.current?.requestFullscreen?.()}>
            <Maximize className="s" />
            <span className="wide-word">Full screen</span>
          </button>
        )}
        {isPublished && (
          <button type="button" className="btn ghost sm" onClick={() => setIsSharing(true)}>
            <Share2 className="s" />
            <span className="wide-word">Share</span>
          </button>
        )}
        {app && (
          <Link className="btn sm" href={`${root}/${app.slug}/edit`}>
            <Pencil className="s" />
            Edit
          </Link>
        )}
      </div>
      {app && isSharing && <ShareApp app={app} onClose={() => setIsSharing(false)} />}
      {isOlder && (
        <Notice
          kind="info"
          role="status"
          action={
            <button type="button" className="btn sm" onClick={() => setOpened(opened + 1)}>
              <RefreshCw className="s" />
              Reload app
            </button>
          }
        >
          A new version is available.
        </Notice>
      )}
      <div ref={host} className="app-host">
        {error && !app && <LoadFailure error={error} onRetry={() => void refetch()} />}
        {!error && !app && <ListSkeleton label="Loading app" />}
        {app && !isPublished && (
          <div className="empty blank">
            <span className="empty-mark">
              <Rocket />
            </span>
            <h2>Not published yet</h2>
            <p>Publish this app to make it available here.</p>
            <Link className="btn primary" href={`${root}/${app.slug}/edit`}>
              Edit app
            </Link>
          </div>
        )}
        {isPublished && (
          <AppFrame
            key={opened}
            title={app.title}
            mint={() => appApi.mintViewToken(workspace.id, app.id)}
            onShown={setShown}
          />
        )}
      </div>
    </main>
  );
}
