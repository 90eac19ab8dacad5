"use client";

import Link from "next/link";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { PasswordField } from "@/components/auth/password-field";
import { findPasswordProblem } from "@/components/auth/password-rules";
import { StrengthBar } from "@/components/auth/strength-bar";
import { placeFailure } from "@/components/ui/form-failure";
import { Notice } from "@/components/ui/notice";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { toPasswordStrength } from "@/lib/features/accounts/browser/password-strength";

/** @param token of the mailed link, which works once */
export function ResetForm({ token }: { token: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isDone, setIsDone] = useState(false);
  const form = useForm<{ password: string }>({ mode: "onTouched", defaultValues: { password: "" } });
  const { errors, isSubmitting } = form.formState;
  const strength = toPasswordStrength(form.watch("password"), []);
  const submit = form.handleSubmit(async ({ password }) => {
    setFailure(null);
    try {
      await accountApi.resetPassword({ token, password });
      setIsDone(true);
    } catch (error) {
      setFailure(placeFailure(error, ["password"], form.setError));
    }
  });
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
    <form className="auth-form" onSubmit={submit} noValidate aria-label="Choose a new password" method="post">
      {failure && (
        <Notice kind="bad" role="alert">
          {failure} <Link href="/forgot">Request new link</Link>
        </Notice>
      )}
      <PasswordField
        label="New password"
        autoComplete="new-password"
        autoFocus
        error={errors.password?.message}
        meter={<StrengthBar strength={strength} />}
        help={
          strength.isCommon ? (
            <span className="t-warn">This password is too common. Use a short sentence.</span>
          ) : (
            "At least 8 characters."
          )
        }
        {...form.register("password", { validate: findPasswordProblem })}
      />
      <button type="submit" className="btn primary lg" disabled={isSubmitting}>
        {isSubmitting ? "Changing password" : "Change password"}
      </button>
    </form>
  );
}
