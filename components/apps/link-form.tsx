"use client";

import Link from "next/link";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { useOutage } from "@/components/ui/use-browser";
import { useServerForm } from "@/components/ui/use-server-form";
import { appApi } from "@/lib/features/apps/browser/client";

type Fields = { owner: string; repo: string; defaultBranch: string; subdirectory: string };

type LinkFormProps = {
  /** Accounts whose repositories the host has listed for the user. */
  accounts: string[];
  onLinked: () => Promise<unknown>;
};

/** Form for the repository with which the workspace's files are synced. */
export function LinkForm({ accounts, onLinked }: LinkFormProps) {
  const { workspace } = useWorkspace();
  const outage = useOutage();
  const only = accounts.length === 1 ? (accounts[0] ?? "") : "";
  const { formProps, failure, isBusy, text } = useServerForm<Fields>({
    initial: { owner: only, repo: "", defaultBranch: "main", subdirectory: "" },
    fields: ["owner", "repo", "defaultBranch", "subdirectory"],
    check: ({ owner, repo }) => ({
      ...(owner.trim() === "" && { owner: "Enter an owner." }),
      ...(repo.trim() === "" && { repo: "Enter a repository name." }),
    }),
    send: async ({ owner, repo, defaultBranch, subdirectory }) => {
      await appApi.linkRepository(workspace.id, {
        owner: owner.trim(),
        repo: repo.trim(),
        ...(defaultBranch.trim() !== "" && { defaultBranch: defaultBranch.trim() }),
        ...(subdirectory.trim() !== "" && { subdirectory: subdirectory.trim() }),
      });
      announce("Repository linked");
      await onLinked();
    },
  });
  const field = (name: keyof Fields) => ({
    isDense: true,
    autoComplete: "off",
    spellCheck: false,
    readOnly: isBusy,
    ...text(name),
  });
  return (
    <form {...formProps} className="form link-form">
      <FormFailure text={failure} />
      <TextField label="Owner" help="User or organisation on the Git host" {...field("owner")} />
      <TextField label="Repository" {...field("repo")} />
      <TextField label="Branch" help="Synced with main of this workspace" {...field("defaultBranch")} />
      <TextField
        label="Folder"
        help="Folder that contains consoles/ and apps/. Leave empty for the root."
        {...field("subdirectory")}
      />
      <Notice kind="warn">
        Everyone who can read the repository can read the shared queries. Everyone who can push to the branch can change
        them.
      </Notice>
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
