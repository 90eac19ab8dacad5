"use client";

import { useState } from "react";
import { FormFailure } from "@/components/ui/form-parts";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { useServerForm } from "@/components/ui/use-server-form";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { findEmailProblem } from "@/lib/platform/browser/email-help";

/** Requests a link to set a new password. The answer is the same for every address. */
export function ForgotForm() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { formProps, failure, isBusy, text } = useServerForm<{ email: string }>({
    initial: { email: "" },
    fields: ["email"],
    mode: "onTouched",
    check: ({ email }) => ({ email: findEmailProblem(email) ?? undefined }),
    send: async ({ email }) => {
      await accountApi.forgotPassword(email.trim());
      setSentTo(email.trim());
    },
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
    <form {...formProps} className="auth-form" aria-label="Reset your password" method="post">
      <FormFailure text={failure} />
      <TextField
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus
        {...text("email")}
      />
      <button type="submit" className="btn primary lg" disabled={isBusy}>
        {isBusy ? "Sending link" : "Send reset link"}
      </button>
    </form>
  );
}
