"use client";

import Link from "next/link";
import { type FormEvent, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { problemsOf } from "@/components/ui/problems-of";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { useOutage } from "@/components/ui/use-browser";
import { appApi } from "@/lib/features/apps/browser/client";

type Fields = { owner: string; repo: string; defaultBranch: string; subdirectory: string };
type Problems = Partial<Record<keyof Fields, string>>;
const NAMES: (keyof Fields)[] = ["owner", "repo", "defaultBranch", "subdirectory"];

type LinkFormProps = {
  /** Accounts whose repositories the host has listed for the user. */
  accounts: string[];
  onLinked: () => Promise<unknown>;
};

/** Form for the repository to which the workspace's apps are mirrored. */
export function LinkForm({ accounts, onLinked }: LinkFormProps) {
  const { workspace } = useWorkspace();
  const outage = useOutage();
  const only = accounts.length === 1 ? (accounts[0] ?? "") : "";
  const [fields, setFields] = useState<Fields>({ owner: only, repo: "", defaultBranch: "main", subdirectory: "" });
  const [problems, setProblems] = useState<Problems>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  const link = async (event: FormEvent) => {
    event.preventDefault();
    const missing: Problems = {
      ...(fields.owner.trim() === "" && { owner: "Enter an owner." }),
      ...(fields.repo.trim() === "" && { repo: "Enter a repository name." }),
    };
    setProblems(missing);
    setFailure(null);
    if (missing.owner ?? missing.repo) return;
    setIsBusy(true);
    try {
      await appApi.linkRepository(workspace.id, {
        owner: fields.owner.trim(),
        repo: fields.repo.trim(),
        ...(fields.defaultBranch.trim() !== "" && { defaultBranch: fields.defaultBranch.trim() }),
        ...(fields.subdirectory.trim() !== "" && { subdirectory: fields.subdirectory.trim() }),
      });
      announce("Repository linked");
      await onLinked();
    } catch (error) {
      const said = problemsOf(error, NAMES);
      setProblems(said);
      if (Object.keys(said).length === 0) setFailure(toMessage(error));
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
    disabled: isBusy,
    onChange: ({ target }: { target: HTMLInputElement }) => setFields({ ...fields, [name]: target.value }),
  });
  return (
    <form className="form link-form" onSubmit={(event) => void link(event)} noValidate>
      {failure !== null && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      <TextField label="Owner" help="User or organisation on the Git host" {...field("owner")} />
      <TextField label="Repository" {...field("repo")} />
      <TextField label="Branch" help="Publishing pushes to this branch" {...field("defaultBranch")} />
      <TextField
        label="Folder"
        help="Folder that contains apps/. Leave empty for the root."
        {...field("subdirectory")}
      />
      <div className="row acts">
        <button type="submit" className="btn primary" disabled={isBusy || outage !== null}>
          {isBusy ? "Linking" : "Link repository"}
        </button>
        <Link className="btn ghost" href={`/w/${workspace.slug}/apps`}>
          Cancel
        </Link>
      </div>
    </form>
  );
}
