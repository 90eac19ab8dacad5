"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { type FormEvent, useState } from "react";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { problemsOf } from "@/components/ui/problems-of";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { useOutage } from "@/components/ui/use-browser";
import { Page } from "@/components/workspace/page";
import { readFeedAnew } from "@/components/workspace/use-apps";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { appApi, type LinkedRepository } from "@/lib/client/apps";
import { ApiError } from "@/lib/client/request";
import "./apps.css";

type Fields = { owner: string; repo: string; defaultBranch: string; subdirectory: string };
type Problems = Partial<Record<keyof Fields, string>>;
const NAMES: (keyof Fields)[] = ["owner", "repo", "defaultBranch", "subdirectory"];

/** How the two came together, as somebody would say it. */
const ADOPTIONS: Record<LinkedRepository["adoption"], string> = {
  imported: "The apps that it holds are in the workspace now.",
  seeded: "It was empty: the apps of this workspace are in it now.",
  fresh: "Neither had an app: new ones stand in both.",
};

/** Ties the workspace's apps to a repository on a host, both ways. */
export function LinkRepository() {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const outage = useOutage();
  const [fields, setFields] = useState<Fields>({ owner: "", repo: "", defaultBranch: "main", subdirectory: "" });
  const [problems, setProblems] = useState<Problems>({});
  const [failure, setFailure] = useState<ApiError | string | null>(null);
  const [linked, setLinked] = useState<LinkedRepository | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isAdmin = workspace.role !== "member";
  const root = `/w/${workspace.slug}/apps`;

  const link = async (event: FormEvent) => {
    event.preventDefault();
    const missing: Problems = {
      ...(fields.owner.trim() === "" && { owner: "Name who it belongs to." }),
      ...(fields.repo.trim() === "" && { repo: "Name the repository." }),
    };
    setProblems(missing);
    setFailure(null);
    if (missing.owner ?? missing.repo) return;
    setIsBusy(true);
    try {
      const answer = await appApi.linkRepository(workspace.id, {
        owner: fields.owner.trim(),
        repo: fields.repo.trim(),
        ...(fields.defaultBranch.trim() !== "" && { defaultBranch: fields.defaultBranch.trim() }),
        ...(fields.subdirectory.trim() !== "" && { subdirectory: fields.subdirectory.trim() }),
      });
      setLinked(answer);
      announce("Linked");
      void readFeedAnew(client, workspace.id);
    } catch (error) {
      const said = problemsOf(error, NAMES);
      setProblems(said);
      if (Object.keys(said).length === 0) setFailure(error instanceof ApiError ? error : toMessage(error));
    } finally {
      setIsBusy(false);
    }
  };
  const field = (name: keyof Fields) => ({
    isDense: true,
    autoComplete: "off",
    spellCheck: false,
    value: fields[name],
    error: problems[name],
    disabled: isBusy || !isAdmin,
    onChange: ({ target }: { target: HTMLInputElement }) => setFields({ ...fields, [name]: target.value }),
  });
  return (
    <Page
      title="Link a repository"
      trail={
        <>
          <Link href={root}>Apps</Link>
          <ChevronRight className="xs" />
        </>
      }
    >
      <p className="lead">
        The apps of this workspace and the folders below apps/ of the repository become one: what is published here is
        pushed there, and what is pushed there arrives here.
      </p>
      {!isAdmin && <Notice kind="locked">Only an admin links a repository. Ask one of them.</Notice>}
      {failure instanceof ApiError && failure.code === "repo_host_not_configured" && (
        <Notice kind="warn" role="alert">
          {failure.message} Whoever runs this server sets up its access to the repository host; docs/deploy.md says how.
        </Notice>
      )}
      {failure !== null && !(failure instanceof ApiError && failure.code === "repo_host_not_configured") && (
        <Notice kind="bad" role="alert">
          {failure instanceof ApiError ? failure.message : failure}
        </Notice>
      )}
      {linked ? (
        <Notice
          kind="good"
          role="status"
          action={
            <Link className="btn sm" href={root}>
              Open apps
            </Link>
          }
        >
          {linked.repo.owner}/{linked.repo.repo} is linked. {ADOPTIONS[linked.adoption]}
        </Notice>
      ) : (
        <form className="form link-form" onSubmit={(event) => void link(event)} noValidate>
          <TextField label="Owner" help="The person or the organisation on the host" {...field("owner")} />
          <TextField label="Repository" {...field("repo")} />
          <TextField label="Branch" help="What is published lands there" {...field("defaultBranch")} />
          <TextField label="Folder" help="Where apps/ lies in it. Empty: at its top." {...field("subdirectory")} />
          <div className="row acts">
            <button type="submit" className="btn primary" disabled={isBusy || !isAdmin || outage !== null}>
              {isBusy ? "Linking" : "Link repository"}
            </button>
            <Link className="btn ghost" href={root}>
              Cancel
            </Link>
          </div>
        </form>
      )}
    </Page>
  );
}
