"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Globe, Undo2 } from "lucide-react";
import Link from "next/link";
import { useMemo, useState } from "react";
import { toAppKey, toAppWorkKey } from "@/components/apps/use-apps";
import { ChangeList } from "@/components/apps/workbench/change-list";
import type { Places } from "@/components/apps/workbench/use-places";
import { useTreeAt, type Work } from "@/components/apps/workbench/use-work";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FormFailure } from "@/components/ui/form-parts";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Mark } from "@/components/ui/person";
import { Segments } from "@/components/ui/segments";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { useNow, useOutage } from "@/components/ui/use-browser";
import { differencesOf } from "@/lib/features/apps/browser/app-files";
import { appApi } from "@/lib/features/apps/browser/client";
import type { Deployment } from "@/lib/features/apps/publish/schema";
import type { App, AppCommit } from "@/lib/features/apps/schema";
import { toSize } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";

const AGO_EVERY_MS = 60_000;
const SHORT_SHA = 7;

type Kind = "published" | "commits";
const KINDS: { value: Kind; label: string }[] = [
  { value: "published", label: "Published" },
  { value: "commits", label: "All commits" },
];

/** Lists published versions of an app, which can be published again, and all of its commits with their changes. */
export function VersionsView({ work, places }: { work: Work; places: Places }) {
  const { app } = work;
  const [kind, setKind] = useState<Kind>(app.publishedSha === null || places.sha !== null ? "commits" : "published");
  return (
    <section className="app-view" aria-label="Versions">
      <div className="row app-view-head">
        <h2 className="b6 grow">Versions</h2>
        <Segments label="Version filter" value={kind} options={KINDS} onChange={setKind} />
      </div>
      {kind === "published" ? <Deployments work={work} /> : <Commits work={work} places={places} />}
    </section>
  );
}

function Deployments({ work }: { work: Work }) {
  const { app } = work;
  const { workspace } = useWorkspace();
  const [open, setOpen] = useState<string | null>(null);
  const deployments = useInfiniteQuery({
    queryKey: [...toAppWorkKey(workspace.id, app.id), "deployments"],
    queryFn: ({ pageParam, signal }) => appApi.listDeployments(workspace.id, app.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const items = deployments.data?.pages.flatMap((page) => page.items) ?? [];
  if (deployments.isPending) return <ListSkeleton label="Loading versions" rows={4} rowPx={60} />;
  if (!deployments.data) return <LoadFailure error={deployments.error} onRetry={() => deployments.refetch()} />;
  return (
    <>
      {items.length === 0 && (
        <div className="empty blank app-view-empty">
          <h2>Not published yet</h2>
          <p>Each publish adds a version you can roll back to.</p>
        </div>
      )}
      <ol className="version-list" aria-label="Published versions">
        {items.map((each) => (
          <DeploymentRow
            key={each.id}
            work={work}
            deployment={each}
            isOpen={open === each.id}
            onToggle={(isOpen) => setOpen(isOpen ? each.id : null)}
          />
        ))}
      </ol>
      <LoadMore pages={deployments} label="Load older versions" className="btn app-view-more" />
    </>
  );
}

type DeploymentRowProps = {
  work: Work;
  deployment: Deployment;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
};

function DeploymentRow({ work, deployment, isOpen, onToggle }: DeploymentRowProps) {
  const { app } = work;
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const outage = useOutage();
  const now = useNow(true, AGO_EVERY_MS);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const { sha, message, publishedBy, createdAt, bytes, isCurrent } = deployment;
  const at = new Date(createdAt);
  const size = toSize(bytes);
  const goBack = async () => {
    setIsBusy(true);
    setFailure(null);
    try {
      const answer = await appApi.rollBack(workspace.id, app.id, sha);
      announce("Rolled back");
      showToast(
        "sha" in answer ? `Rolled back to ${sha.slice(0, SHORT_SHA)}. Your edits are unchanged.` : "Rollback queued",
        { id: "rolled-back" },
      );
      onToggle(false);
    } catch (error) {
      setFailure(toMessage(error));
    } finally {
      setIsBusy(false);
      await Promise.all([
        client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.slug) }),
        client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.id) }),
        work.readAnew(),
      ]);
    }
  };
  return (
    <li className={isOpen ? "version on" : "version"}>
      <div className="row version-row">
        <button type="button" className="version-name" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
          <span className="b6 trunc">{message}</span>
          <span className="row xs t2 version-facts">
            <Mark id={publishedBy.id} name={publishedBy.name} isSmall />
            <span className="trunc" title={formatStamp(at)}>
              {publishedBy.name.split(/\s/)[0]}, {now === null ? formatStamp(at) : formatAgo(at, new Date(now))}
            </span>
            <span className="mono">{sha.slice(0, SHORT_SHA)}</span>
            <span>
              {size.value} {size.unit}
            </span>
          </span>
        </button>
        {isCurrent && <Live />}
      </div>
      {isOpen && isCurrent && (
        <p className="change-none">
          This version is live.{" "}
          <Link className="link" href={`/w/${workspace.slug}/apps/${app.slug}`}>
            Open app
          </Link>
        </p>
      )}
      {isOpen && !isCurrent && (
        <>
          <div className="row rollback">
            <p className="t2 grow">Rollback needs no build and keeps your edits.</p>
            <button
              type="button"
              className="btn sm"
              disabled={isBusy || outage !== null}
              title={outage ?? undefined}
              onClick={() => void goBack()}
            >
              <Undo2 className="s" />
              {isBusy ? "Rolling back" : "Roll back"}
            </button>
          </div>
          <FormFailure text={failure} />
          {app.publishedSha !== null && <Changes app={app} sha={sha} before={app.publishedSha} />}
        </>
      )}
    </li>
  );
}

function Live() {
  return (
    <span className="tag live">
      <Globe className="xs" />
      Live
    </span>
  );
}

function Commits({ work, places }: { work: Work; places: Places }) {
  const { app } = work;
  const { workspace } = useWorkspace();
  const history = useInfiniteQuery({
    queryKey: [...toAppWorkKey(workspace.id, app.id), "history"],
    queryFn: ({ pageParam, signal }) => appApi.readHistory(workspace.id, app.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const commits = history.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {history.isPending && <ListSkeleton label="Loading commits" rows={6} rowPx={60} />}
      {history.isError && !history.data && <LoadFailure error={history.error} onRetry={() => history.refetch()} />}
      <ol className="version-list" aria-label="Commits">
        {commits.map((commit, at) => (
          <Version
            key={commit.sha}
            app={app}
            commit={commit}
            before={commits[at + 1]?.sha ?? null}
            isOldest={at === commits.length - 1 && !history.hasNextPage}
            isOpen={places.sha !== null && commit.sha.startsWith(places.sha)}
            onToggle={(isOpen) => places.showCentre("versions", isOpen ? commit.sha.slice(0, SHORT_SHA) : null)}
          />
        ))}
      </ol>
      <LoadMore
        pages={history}
        label="Load older commits"
        busyLabel="Loading older commits"
        className="btn app-view-more"
      />
    </>
  );
}

type VersionProps = {
  app: App;
  commit: AppCommit;
  /** Previous commit that touched the app; null if it is not known. */
  before: string | null;
  isOldest: boolean;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
};

function Version({ app, commit, before, isOldest, isOpen, onToggle }: VersionProps) {
  const now = useNow(true, AGO_EVERY_MS);
  const at = new Date(commit.date);
  const isLive = app.publishedSha === commit.sha;
  return (
    <li className={isOpen ? "version on" : "version"}>
      <div className="row version-row">
        <button type="button" className="version-name" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
          <span className="b6 trunc">{commit.subject}</span>
          <span className="row xs t2 version-facts">
            <Mark id={commit.author.email} name={commit.author.name} isSmall />
            <span className="trunc" title={formatStamp(at)}>
              {commit.author.name.split(/\s/)[0]}, {now === null ? formatStamp(at) : formatAgo(at, new Date(now))}
            </span>
            <span className="mono">{commit.sha.slice(0, SHORT_SHA)}</span>
          </span>
        </button>
        {isLive && <Live />}
      </div>
      {isOpen && (before !== null || isOldest) && <Changes app={app} sha={commit.sha} before={before} />}
      {isOpen && before === null && !isOldest && (
        <p className="change-none t2">Load older commits to see this commit's changes.</p>
      )}
    </li>
  );
}

function Changes({ app, sha, before }: { app: App; sha: string; before: string | null }) {
  const now = useTreeAt(app, sha);
  const then = useTreeAt(app, before);
  const differences = useMemo(
    () => (now.data && (before === null || then.data) ? differencesOf(then.data ?? [], now.data) : null),
    [now.data, then.data, before],
  );
  const failed = [now, then].find((each) => each.isError);
  if (failed?.error) return <LoadFailure error={failed.error} onRetry={() => failed.refetch()} />;
  if (differences === null) return <ListSkeleton label="Loading changes" rows={2} />;
  if (differences.length === 0) return <p className="change-none t2">No changes to this app.</p>;
  return (
    <ChangeList
      app={app}
      label="Changes"
      changes={differences}
      sides={{ before, after: sha, beforeLabel: "Before", afterLabel: "After" }}
    />
  );
}
