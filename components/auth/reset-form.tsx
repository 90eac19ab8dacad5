"use client";

import Link from "next/link";
import { useState } from "react";
import { PasswordField } from "@/components/auth/password-field";
import { findPasswordProblem } from "@/components/auth/password-rules";
import { StrengthBar } from "@/components/auth/strength-bar";
import { Notice } from "@/components/ui/notice";
import { useServerForm } from "@/components/ui/use-server-form";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { toPasswordStrength } from "@/lib/features/accounts/browser/password-strength";

/** @param token of the mailed link, which works once */
export function ResetForm({ token }: { token: string }) {
  const [isDone, setIsDone] = useState(false);
  const { form, formProps, failure, isBusy, text } = useServerForm<{ password: string }>({
    initial: { password: "" },
    fields: ["password"],
    mode: "onTouched",
    check: ({ password }) => ({ password: findPasswordProblem(password) }),
    send: async ({ password }) => {
      await accountApi.resetPassword({ token, password });
      setIsDone(true);
    },
  });
  const strength = toPasswordStrength(form.watch("password"), []);
  if (isDone) {
    return (
      <div className="auth-form">
        <Notice kind="good" role="status">
          Password changed. Sign in with your new password.
        </Notice>
        <Link className="btn primary lg" href="/login">
          Sign in
        </Link>
      </div>
    );
  }
  return (
    <form {...formProps} className="auth-form" aria-label="Choose a new password" method="post">
      {failure && (
        <Notice kind="bad" role="alert">
          {failure} <Link href="/forgot">Request new link</Link>
        </Notice>
      )}
      <PasswordField
        label="New password"
        autoComplete="new-password"
        autoFocus
        meter={<StrengthBar strength={strength} />}
        help={
          strength.isCommon ? (
            <span className="t-warn">This password is too common. Use a short sentence.</span>
          ) : (
            "At least 8 characters."
          )
        }
        {...text("password")}
      />
      <button type="submit" className="btn primary lg" disabled={isBusy}>
        {isBusy ? "Changing password" : "Change password"}
      </button>
    </form>
  );
}
