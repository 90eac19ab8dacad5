"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toLinkWords } from "@/components/apps/link-words";
import { toRepositoryLinkKey } from "@/components/apps/use-apps";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { useNow, useOutage } from "@/components/ui/use-browser";
import { appApi } from "@/lib/features/apps/browser/client";
import type { Repo } from "@/lib/features/linked-repositories/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

const AGE_EVERY_MS = 30_000;

/** Describes how the repository and the workspace were combined when they were linked. */
const ADOPTIONS: Record<Repo["adoption"], string> = {
  imported: "Its files were imported into this workspace.",
  seeded: "This workspace's files were pushed to it.",
  fresh: "Linked with no files on either side.",
};

/** State of a linked repository, with conflicts to resolve and a button to remove the link. */
export function LinkedRepository({ repo }: { repo: Repo }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const outage = useOutage();
  const now = useNow(true, AGE_EVERY_MS);
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isEnding, setIsEnding] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const isAdmin = workspace.role !== "member";
  const isStill = isBusy || outage !== null;
  const { text, isProblem } = toLinkWords(repo, now === null ? null : new Date(now));

  const act = async (what: () => Promise<unknown>, done: string) => {
    setIsBusy(true);
    setFailure(null);
    try {
      await what();
      setIsDeleting(false);
      await client.invalidateQueries({ queryKey: toRepositoryLinkKey(workspace.id) });
      showToast(done, { id: "repository-link" });
    } catch (error) {
      setFailure(toMessage(error));
    } finally {
      setIsBusy(false);
    }
  };
  const mirror = (ask: { prefer?: "workspace" | "host"; scope?: "all" } = {}) =>
    void act(() => appApi.mirrorRepository(workspace.id, ask), "Sync queued");
  const choices = isAdmin && (
    <div className="row link-acts">
      <button type="button" className="btn" disabled={isStill} onClick={() => mirror({ prefer: "workspace" })}>
        Keep workspace version
      </button>
      <button
        type="button"
        className="btn"
        disabled={isStill}
        onClick={() => (repo.state === "removed" ? setIsDeleting(true) : mirror({ prefer: "host" }))}
      >
        Keep repository version
      </button>
    </div>
  );
  return (
    <div className="linked">
      {failure !== null && !isEnding && !isDeleting && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      <Notice kind={isProblem ? "warn" : "good"}>{repo.problem ?? `${text}.`}</Notice>
      {repo.state === "rewritten" && choices}
      {repo.state === "removed" && (
        <section className="part" aria-labelledby="link-removed">
          <h2 id="link-removed">Removed in the repository</h2>
          <RemovedList removed={repo.removed} />
          {choices}
        </section>
      )}
      {repo.pullsProblem !== null && <Notice kind="warn">Pull requests are not checked. {repo.pullsProblem}</Notice>}
      {repo.conflicts.length > 0 && (
        <section className="part" aria-labelledby="link-conflicts">
          <h2 id="link-conflicts">Conflicts</h2>
          <PathList paths={repo.conflicts.map((path) => ({ path }))} />
          {choices}
        </section>
      )}
      {repo.skipped.length > 0 && (
        <section className="part" aria-labelledby="link-skipped">
          <h2 id="link-skipped">Skipped files</h2>
          <PathList paths={repo.skipped} />
        </section>
      )}
      {repo.scope === "apps" && (
        <section className="part" aria-labelledby="link-scope">
          <h2 id="link-scope">Only apps are synced</h2>
          <p className="t2">
            Consoles, dashboards and docs can be synced too. Everyone who can read the repository can then read them.
          </p>
          {isAdmin && (
            <div className="row link-acts">
              <button type="button" className="btn" disabled={isStill} onClick={() => mirror({ scope: "all" })}>
                Sync all files
              </button>
            </div>
          )}
        </section>
      )}
      <p className="t2 part">
        {repo.scope === "all" && "Shared consoles, dashboards, apps and docs. "}Branch{" "}
        <span className="mono">{repo.defaultBranch}</span>
        {repo.subdirectory !== "" && (
          <>
            , folder <span className="mono">{repo.subdirectory}</span>
          </>
        )}
        . {ADOPTIONS[repo.adoption]}
      </p>
      <div className="row link-acts">
        <a className="btn" href={repo.url} target="_blank" rel="noreferrer">
          Open repository
        </a>
        {isAdmin && (
          <>
            <button type="button" className="btn" disabled={isStill} onClick={() => mirror()}>
              Sync now
            </button>
            <button type="button" className="btn ghost danger" disabled={isStill} onClick={() => setIsEnding(true)}>
              Unlink repository
            </button>
          </>
        )}
      </div>
      <Confirm
        title={`Unlink ${repo.owner}/${repo.repo}?`}
        action="Unlink repository"
        isOpen={isEnding}
        isBusy={isBusy}
        failure={failure}
        onConfirm={() => void act(() => appApi.unlinkRepository(workspace.id), "Repository unlinked")}
        onClose={() => setIsEnding(false)}
      >
        Both sides keep their files. Changes no longer sync.
      </Confirm>
      <Confirm
        title={`Delete ${toCounts(repo.removed)}?`}
        action="Delete from workspace"
        isOpen={isDeleting}
        isBusy={isBusy}
        failure={failure}
        onConfirm={() => mirror({ prefer: "host" })}
        onClose={() => setIsDeleting(false)}
      >
        <RemovedList removed={repo.removed} />
        <p>Deleted here for all members. The git history keeps the files.</p>
      </Confirm>
    </div>
  );
}

function RemovedList({ removed }: { removed: Repo["removed"] }) {
  const paths = removed.flatMap((each) => each.paths);
  const more = removed.reduce((sum, { count }) => sum + count, 0) - paths.length;
  return (
    <>
      <PathList paths={paths.map((path) => ({ path }))} />
      {more > 0 && <p className="t2">And {formatCountOf(more, "more file")}.</p>}
    </>
  );
}

/** Describes the files of each folder, such as "2 consoles and 1 dashboard". */
function toCounts(removed: Repo["removed"]): string {
  return removed
    .map(({ folder, count }) => formatCountOf(count, folder === "apps" ? "app file" : folder.slice(0, -1)))
    .join(" and ");
}

/** List of paths, each with its reason. */
function PathList({ paths }: { paths: { path: string; why?: string }[] }) {
  return (
    <ul className="link-paths">
      {paths.map(({ path, why }) => (
        <li key={path}>
          <span className="mono">{path}</span>
          {why !== undefined && <span className="t2">{why}</span>}
        </li>
      ))}
    </ul>
  );
}
