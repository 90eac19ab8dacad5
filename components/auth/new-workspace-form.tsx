"use client";

import { FormFailure } from "@/components/ui/form-parts";
import { findNameProblem } from "@/components/ui/name-rule";
import { TextField } from "@/components/ui/text-field";
import { useServerForm } from "@/components/ui/use-server-form";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { WORKSPACE_NAME_MAX } from "@/lib/features/workspaces/limits";

export function NewWorkspaceForm() {
  const { formProps, failure, isBusy, text } = useServerForm<{ name: string }>({
    initial: { name: "" },
    fields: ["name"],
    mode: "onTouched",
    check: ({ name }) => ({ name: findNameProblem(name, "Enter a workspace name.", WORKSPACE_NAME_MAX) }),
    send: async ({ name }) => {
      const { slug } = await accountApi.createWorkspace(name.trim());
      window.location.assign(`/w/${slug}`);
      return "left";
    },
  });
  return (
    <form {...formProps} className="auth-form" aria-label="New workspace" method="post">
      <FormFailure text={failure} />
      <TextField label="Name" autoFocus autoComplete="organization" placeholder="Harrow & Pine" {...text("name")} />
      <button type="submit" className="btn primary lg" disabled={isBusy}>
        {isBusy ? "Creating workspace" : "Create workspace"}
      </button>
    </form>
  );
}
