"use client";

import { useState } from "react";
import { useForm } from "react-hook-form";
import { placeFailure } from "@/components/ui/form-failure";
import { nameRule } from "@/components/ui/name-rule";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { WORKSPACE_NAME_MAX } from "@/lib/features/workspaces/limits";

export function NewWorkspaceForm() {
  const [failure, setFailure] = useState<string | null>(null);
  const [isDone, setIsDone] = useState(false);
  const form = useForm<{ name: string }>({ mode: "onTouched", defaultValues: { name: "" } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ name }) => {
    setFailure(null);
    try {
      const { slug } = await accountApi.createWorkspace(name.trim());
      setIsDone(true);
      window.location.assign(`/w/${slug}`);
    } catch (error) {
      setFailure(placeFailure(error, ["name"], form.setError));
    }
  });
  return (
    <form className="auth-form" onSubmit={submit} noValidate aria-label="New workspace" method="post">
      {failure && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      <TextField
        label="Name"
        autoFocus
        autoComplete="organization"
        placeholder="Harrow & Pine"
        error={errors.name?.message}
        {...form.register("name", nameRule("Enter a workspace name.", WORKSPACE_NAME_MAX))}
      />
      <button type="submit" className="btn primary lg" disabled={isSubmitting || isDone}>
        {isSubmitting || isDone ? "Creating workspace" : "Create workspace"}
      </button>
    </form>
  );
}
