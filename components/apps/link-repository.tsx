"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { LinkForm } from "@/components/apps/link-form";
import { LinkedRepository } from "@/components/apps/linked-repository";
import { readFeedAnew, useRepositoryLink } from "@/components/apps/use-apps";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FormFailure } from "@/components/ui/form-parts";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { appApi, type RepositoryLink } from "@/lib/features/apps/browser/client";
import "./apps.css";

/**
 * Page that links the workspace's files to a repository on a host, in both directions, and shows the state of the link.
 */
export function LinkRepository() {
  const { workspace } = useWorkspace();
  const link = useRepositoryLink();
  const repo = link.data?.repo;
  return (
    <Page
      title={repo ? `${repo.owner}/${repo.repo}` : "Link repository"}
      trail={
        <>
          <Link href={`/w/${workspace.slug}/apps`}>Apps</Link>
          <ChevronRight className="xs" />
        </>
      }
    >
      <p className="lead">Sync this workspace's shared files with a Git repository, both ways.</p>
      {link.isPending && <ListSkeleton label="Loading repository" />}
      {link.isError && !link.data && <LoadFailure error={link.error} onRetry={() => link.refetch()} />}
      {link.data && (repo ? <LinkedRepository repo={repo} /> : <Begin link={link.data} onLinked={link.refetch} />)}
    </Page>
  );
}

type BeginProps = { link: RepositoryLink; onLinked: () => Promise<unknown> };

/** Steps before a repository is linked: the server's access to the host, the user's installations, the repository. */
function Begin({ link: { configured, installations }, onLinked }: BeginProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const authorization = useSearchParams().get("authorization");
  const accounts = installations.map(({ account }) => account);
  if (workspace.role === "member") {
    return <Notice kind="locked">Only admins can link a repository. Ask an admin.</Notice>;
  }
  if (!configured) {
    return <Notice kind="warn">No Git host configured. Ask your administrator to set one up.</Notice>;
  }
  return (
    <>
      {authorization === "refused" && (
        <Notice kind="warn" role="status">
          Git host access denied. Authorise access to link a repository.
        </Notice>
      )}
      {authorization === "done" && accounts.length === 0 && (
        <Notice kind="warn" role="status">
          No installations found. Install the app on your repository, then refresh.
        </Notice>
      )}
      <AskHost accounts={accounts} />
      {accounts.length > 0 && (
        <LinkForm
          accounts={accounts}
          onLinked={async () => {
            void readFeedAnew(client, workspace.id);
            await onLinked();
          }}
        />
      )}
    </>
  );
}

/** Asks the host which repositories the user may link. */
function AskHost({ accounts }: { accounts: string[] }) {
  const { workspace } = useWorkspace();
  const [failure, setFailure] = useState<string | null>(null);
  const ask = async () => {
    setFailure(null);
    try {
      window.location.assign((await appApi.readHostAddress(workspace.id)).url);
    } catch (error) {
      setFailure(toMessage(error));
    }
  };
  return (
    <div className="ask-host">
      <FormFailure text={failure} />
      <p className="t2">
        {accounts.length > 0
          ? `Access to repositories of ${accounts.join(", ")}.`
          : "Authorise access on your Git host. You'll return here afterwards."}
      </p>
      <button type="button" className={accounts.length > 0 ? "btn sm" : "btn primary"} onClick={() => void ask()}>
        {accounts.length > 0 ? "Refresh list" : "Authorise access"}
      </button>
    </div>
  );
}
