"use client";

import { GitBranch } from "lucide-react";
import Link from "next/link";
import { toLinkWords } from "@/components/apps/link-words";
import { useRepositoryLink } from "@/components/apps/use-apps";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useNow } from "@/components/ui/use-browser";

const AGE_EVERY_MS = 30_000;

/** Footer of the list of apps: the linked repository and its state, or a link to set one up. */
export function RepositoryCard() {
  const { workspace } = useWorkspace();
  const { data } = useRepositoryLink();
  const now = useNow(data?.repo !== undefined, AGE_EVERY_MS);
  // Members cannot link a repository: they see the card only when one is linked.
  if (!data || (!data.repo && workspace.role === "member")) return null;
  const { repo } = data;
  const words = repo && toLinkWords(repo, now === null ? null : new Date(now));
  return (
    <Link className="repository-card" href={`/w/${workspace.slug}/apps/link`}>
      <span className="row xs b5">
        <GitBranch className="s" />
        <span className="trunc">{repo ? `${repo.owner}/${repo.repo}` : "Link repository"}</span>
      </span>
      <span className={words?.isProblem ? "repository-state bad" : "repository-state"}>
        {words ? words.text : "Sync files with your Git host"}
      </span>
    </Link>
  );
}
