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
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { appApi, type RepositoryLink } from "@/lib/features/apps/browser/client";
import "./apps.css";

/**
 * Page that links the workspace's apps to a repository on a host, in both directions, and shows the state of the link.
 */
export function LinkRepository() {
  const { workspace } = useWorkspace();
  const link = useRepositoryLink();
  const repo = link.data?.repo;
  return (
    <Page
      title={repo ? `${repo.owner}/${repo.repo}` : "Link a repository"}
      trail={
        <>
          <Link href={`/w/${workspace.slug}/apps`}>Apps</Link>
          <ChevronRight className="xs" />
        </>
      }
    >
      <p className="lead">
        The apps of this workspace and the folders below apps/ of the repository become one: what is published here is
        pushed there, and what is pushed there arrives here.
      </p>
      {link.isPending && <ListSkeleton label="Reading the link" />}
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
    return <Notice kind="locked">Only an admin links a repository. Ask one of them.</Notice>;
  }
  if (!configured) {
    return (
      <Notice kind="warn">
        This server knows no repository host. Whoever runs it sets up its access to one; docs/operate/deploy.md says
        how.
      </Notice>
    );
  }
  return (
    <>
      {authorization === "refused" && (
        <Notice kind="warn" role="status">
          The host was not let to list your installations. Without them nothing can be linked.
        </Notice>
      )}
      {authorization === "done" && accounts.length === 0 && (
        <Notice kind="warn" role="status">
          The host lists no installation of yours. Install its app on the repository first, then let it list them again.
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
      {failure !== null && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      <p className="t2">
        {accounts.length > 0
          ? `The host lists repositories of ${accounts.join(", ")} for you.`
          : "The host asks you whether it may list what you have installed its app on. It leads back here."}
      </p>
      <button type="button" className={accounts.length > 0 ? "btn sm" : "btn primary"} onClick={() => void ask()}>
        {accounts.length > 0 ? "List again" : "Ask the host"}
      </button>
    </div>
  );
}
