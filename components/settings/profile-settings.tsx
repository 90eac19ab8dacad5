"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { PasswordField } from "@/components/auth/password-field";
import { findPasswordProblem } from "@/components/auth/password-rules";
import { StrengthBar } from "@/components/auth/strength-bar";
import { useWorkspace } from "@/components/layout/workspace-context";
import { SettingsPage } from "@/components/settings/settings-page";
import { useChange } from "@/components/settings/use-settings";
import { FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { findNameProblem } from "@/components/ui/name-rule";
import { Notice } from "@/components/ui/notice";
import { Mark } from "@/components/ui/person";
import { TextField } from "@/components/ui/text-field";
import { useIsAwake } from "@/components/ui/use-browser";
import { useServerForm } from "@/components/ui/use-server-form";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { toPasswordStrength } from "@/lib/features/accounts/browser/password-strength";
import { USER_NAME_MAX } from "@/lib/features/users/limits";
import { formatDay } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";

/** The user's profile and password. */
export function ProfileSettings() {
  const { user } = useWorkspace();
  const isAwake = useIsAwake();
  const name = user.name || user.email;
  return (
    <SettingsPage title="Profile">
      <div className="who profile-who">
        <Mark id={user.id} name={name} />
        <div className="grow">
          <div className="b6 trunc">{name}</div>
          {user.name && <div className="t3 xs trunc">{user.email}</div>}
        </div>
      </div>
      <dl className="facts">
        <div className="fact">
          <dt>Member since</dt>
          <dd>{isAwake && formatDay(new Date(user.createdAt))}</dd>
        </div>
      </dl>
      <section className="part" aria-labelledby="name">
        <h2 id="name">Name</h2>
        <p className="lead">Shown to teammates in every workspace. Earlier history keeps your old name.</p>
        <NameForm />
      </section>
      <section className="part" aria-labelledby="password">
        <h2 id="password">Password</h2>
        <p className="lead">Changing it signs you out everywhere else.</p>
        <PasswordForm />
      </section>
    </SettingsPage>
  );
}

function NameForm() {
  const { user } = useWorkspace();
  const router = useRouter();
  const change = useChange(["workspace"], (name: string) => accountApi.updateName(name));
  const { formProps, failure, isBusy, isDirty, text } = useServerForm<{ name: string }>({
    initial: { name: user.name },
    fields: ["name"],
    mode: "onTouched",
    check: ({ name }) => ({ name: findNameProblem(name, "Enter your name.", USER_NAME_MAX) }),
    send: async (fields, form) => {
      const { name } = await change.mutateAsync(fields.name.trim());
      // Text typed in the meantime stays, unsaved.
      if (form.getValues("name") === fields.name) form.reset({ name });
      announce("Name changed");
      // The frame shows the name, too, and is rendered on the server.
      router.refresh();
    },
  });
  return (
    <form {...formProps} className="form" aria-label="Name" method="post">
      <FormFailure text={failure} />
      <TextField label="Name" isDense autoComplete="name" {...text("name")} />
      <div className="row acts">
        <button type="submit" className="btn primary" disabled={isBusy || !isDirty}>
          {isBusy ? "Saving" : "Save name"}
        </button>
      </div>
    </form>
  );
}

type Fields = { current: string; next: string };

function PasswordForm() {
  const { user } = useWorkspace();
  const [isDone, setIsDone] = useState(false);
  const change = useChange(["sessions"], (body: Fields) => accountApi.changePassword(body));
  const { form, formProps, failure, isBusy, text } = useServerForm<Fields>({
    initial: { current: "", next: "" },
    fields: ["current", "next"],
    mode: "onTouched",
    check: ({ current, next }) => ({
      current: current === "" ? "Enter your current password." : undefined,
      next: findPasswordProblem(next),
    }),
    send: async (fields, form) => {
      setIsDone(false);
      await change.mutateAsync(fields);
      form.reset();
      setIsDone(true);
      announce("Password changed");
    },
    onFailure: (error, form) => {
      if (!(error instanceof ApiError) || error.code !== "invalid_credentials") return false;
      form.setError("current", { message: error.message }, { shouldFocus: true });
      return true;
    },
  });
  const strength = toPasswordStrength(form.watch("next"), [user.name, user.email]);
  return (
    <form {...formProps} className="form" aria-label="Password" method="post">
      <FormFailure text={failure} />
      {isDone && <Notice kind="good">Password changed. You were signed out everywhere else.</Notice>}
      {/* For password managers, which file a password under its account. */}
      <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
      <PasswordField label="Current password" isDense autoComplete="current-password" {...text("current")} />
      <PasswordField
        label="New password"
        isDense
        autoComplete="new-password"
        meter={<StrengthBar strength={strength} />}
        help={
          strength.isCommon ? (
            <span className="t-warn">This password is too common. Use a short sentence.</span>
          ) : (
            "At least 8 characters."
          )
        }
        {...text("next")}
      />
      <div className="row acts">
        <button type="submit" className="btn primary" disabled={isBusy}>
          {isBusy ? "Changing password" : "Change password"}
        </button>
      </div>
    </form>
  );
}
