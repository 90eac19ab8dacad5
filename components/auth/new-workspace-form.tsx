"use client";

import { useState } from "react";
import { useForm } from "react-hook-form";
import { placeFailure } from "@/components/ui/form-failure";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { accountApi } from "@/lib/client/account";

/** The server's schema has the last word. */
const NAME_LENGTH_MAX = 80;

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
        {...form.register("name", {
          validate: (name) => {
            if (name.trim() === "") return "Give the workspace a name.";
            return name.trim().length <= NAME_LENGTH_MAX || `At most ${NAME_LENGTH_MAX} characters.`;
          },
        })}
      />
      <button type="submit" className="btn primary lg" disabled={isSubmitting || isDone}>
        {isSubmitting || isDone ? "Creating the workspace" : "Create workspace"}
      </button>
    </form>
  );
}
