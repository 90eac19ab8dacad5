"use client";

import { useState } from "react";
import { useForm } from "react-hook-form";
import { placeFailure } from "@/components/ui/form-failure";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { findEmailProblem } from "@/lib/platform/browser/email-help";

/** Requests a link to set a new password. The answer is the same for every address. */
export function ForgotForm() {
  const [failure, setFailure] = useState<string | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm<{ email: string }>({ mode: "onTouched", defaultValues: { email: "" } });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async ({ email }) => {
    setFailure(null);
    try {
      await accountApi.forgotPassword(email.trim());
      setSentTo(email.trim());
    } catch (error) {
      setFailure(placeFailure(error, ["email"], form.setError));
    }
  });
  if (sentTo !== null) {
    return (
      <div className="auth-form">
        <Notice kind="good" role="status">
          If <b className="b6">{sentTo}</b> has an account, we've sent it a reset link. It expires in 30 minutes.
        </Notice>
        <p className="auth-foot">No email? Check your spam folder or contact your administrator.</p>
        <button type="button" className="btn lg" onClick={() => setSentTo(null)}>
          Use another email
        </button>
      </div>
    );
  }
  return (
    <form className="auth-form" onSubmit={submit} noValidate aria-label="Reset your password" method="post">
      {failure && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      <TextField
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus
        error={errors.email?.message}
        {...form.register("email", { validate: (email) => findEmailProblem(email) ?? true })}
      />
      <button type="submit" className="btn primary lg" disabled={isSubmitting}>
        {isSubmitting ? "Sending link" : "Send reset link"}
      </button>
    </form>
  );
}
