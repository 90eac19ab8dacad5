"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { SettingsPage } from "@/components/settings/settings-page";
import { useChange, useRights } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { CopyButton } from "@/components/ui/copy-button";
import { FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { findNameProblem } from "@/components/ui/name-rule";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { useIsAwake } from "@/components/ui/use-browser";
import { useServerForm } from "@/components/ui/use-server-form";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { WORKSPACE_NAME_MAX } from "@/lib/features/workspaces/limits";

/** The workspace's name and address, and its deletion. */
export function GeneralSettings() {
  const { workspace } = useWorkspace();
  const { isAdmin, isOwner } = useRights();
  const isAwake = useIsAwake();
  const address = `${isAwake ? window.location.origin : ""}/w/${workspace.slug}`;
  return (
    <SettingsPage title="General">
      {!isAdmin && (
        <Notice kind="locked">Only owners and admins can rename the workspace. Only owners can delete it.</Notice>
      )}
      <section className="part" aria-labelledby="identity">
        <h2 id="identity">Workspace</h2>
        {isAdmin && <NameForm />}
        <dl className="facts">
          {!isAdmin && <Fact label="Name" value={workspace.name} />}
          <Fact label="URL" value={address} isMono help="Renaming the workspace does not change its URL." />
          <Fact label="ID" value={workspace.id} isMono help="Use it in API requests." />
        </dl>
      </section>
      <section className="part" aria-labelledby="end">
        <h2 id="end">Delete workspace</h2>
        {isOwner ? (
          <DeleteWorkspace />
        ) : (
          <p className="t2">Only owners can delete the workspace.{isAdmin ? " You are an admin." : ""}</p>
        )}
      </section>
    </SettingsPage>
  );
}

function Fact({
  label,
  value,
  help,
  isMono = false,
}: {
  label: string;
  value: string;
  help?: string;
  isMono?: boolean;
}) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>
        <div className="row">
          <span className={isMono ? "mono fact-value" : "fact-value"}>{value}</span>
          {isMono && <CopyButton text={value} name={`Copy ${label.toLowerCase()}`} className="btn ghost sm" />}
        </div>
        {help && <div className="xs t3">{help}</div>}
      </dd>
    </div>
  );
}

function NameForm() {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const rename = useChange(["workspace"], (name: string) => workspaceApi.rename(workspace.id, name));
  const { form, formProps, failure, isBusy, isDirty, text } = useServerForm<{ name: string }>({
    initial: { name: workspace.name },
    fields: ["name"],
    mode: "onTouched",
    check: ({ name }) => ({ name: findNameProblem(name, "Enter a workspace name.", WORKSPACE_NAME_MAX) }),
    send: async ({ name }) => {
      await rename.mutateAsync(name.trim());
      announce("Renamed");
      // The frame shows the name too, and is rendered on the server.
      router.refresh();
    },
  });
  // Another user may rename it; text typed in the meantime stays.
  useEffect(() => form.reset({ name: workspace.name }, { keepDirtyValues: true }), [form.reset, workspace.name]);
  return (
    <form {...formProps} className="form inline-form" aria-label="Workspace name">
      <FormFailure text={failure} />
      <TextField label="Name" isDense autoComplete="off" {...text("name")} />
      <div className="row acts">
        <button type="submit" className="btn primary" disabled={!isDirty || isBusy}>
          {isBusy ? "Renaming" : "Rename workspace"}
        </button>
        {rename.isSuccess && !isDirty && <span className="st ok">Workspace renamed</span>}
      </div>
    </form>
  );
}

function DeleteWorkspace() {
  const { workspace } = useWorkspace();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useChange([], () => workspaceApi.remove(workspace.id));
  const confirm = async () => {
    try {
      await remove.mutateAsync(undefined);
    } catch {
      return;
    }
    // A full load: no data of the workspace may stay in the page.
    window.location.assign("/");
  };
  return (
    <div className="boxed danger-box">
      <p className="t2">
        Deletes its connections, consoles, API keys, invitations and history for every member. This can't be undone.
      </p>
      <button type="button" className="btn danger" onClick={() => setIsAsking(true)}>
        Delete workspace
      </button>
      <Confirm
        title={`Delete ${workspace.name}?`}
        action="Delete workspace"
        isOpen={isAsking}
        isBusy={remove.isPending || remove.isSuccess}
        typedName={workspace.name}
        failure={remove.isError ? toMessage(remove.error) : null}
        onConfirm={confirm}
        onClose={() => {
          setIsAsking(false);
          remove.reset();
        }}
      >
        <p>
          <b>{workspace.name}</b> and its connections, consoles, API keys, invitations and history are deleted for every
          member. Your databases are not changed.
        </p>
      </Confirm>
    </div>
  );
}
