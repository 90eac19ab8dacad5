"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { FormFailure } from "@/components/auth/form-failure";
import { PasswordField } from "@/components/auth/password-field";
import { findPasswordProblem } from "@/components/auth/password-rules";
import { StrengthBar } from "@/components/auth/strength-bar";
import { placeFailure } from "@/components/ui/form-failure";
import { TextField } from "@/components/ui/text-field";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { authApi } from "@/lib/features/accounts/browser/auth";
import { suggestEmail } from "@/lib/features/accounts/browser/email-suggestion";
import { toPasswordStrength } from "@/lib/features/accounts/browser/password-strength";
import { findEmailProblem } from "@/lib/platform/browser/email-help";
import { ApiError } from "@/lib/platform/browser/request";

/** The invitation that the account is created for. */
type Invited = { token: string; email: string; workspaceName: string };
type RegisterFields = { name: string; email: string; password: string };

type RegisterFormProps = { next: string | null; loginHref: string; invitation: Invited | null };

/**
 * @param next path of this site to open afterwards, already validated by the page; null is the new workspace
 * @param loginHref the sign-in page, with the same `next`
 * @param invitation accepted at once by the new account; its address is fixed, since it is valid for that one only
 */
export function RegisterForm({ next, loginHref, invitation }: RegisterFormProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isTaken, setIsTaken] = useState(false);
  const form = useForm<RegisterFields>({
    mode: "onTouched",
    defaultValues: { name: "", email: invitation?.email ?? "", password: "" },
  });
  const { errors, isSubmitting, isSubmitSuccessful } = form.formState;
  const isBusy =
    isSubmitting || (isSubmitSuccessful && failure === null && !isTaken && Object.keys(errors).length === 0);
  const [name, email, password] = form.watch(["name", "email", "password"]);
  const strength = toPasswordStrength(password, [name, email]);
  const suggestion = suggestEmail(email);

  const submit = form.handleSubmit(async (fields) => {
    setFailure(null);
    setIsTaken(false);
    try {
      const { workspace } = await authApi.register({
        email: fields.email.trim(),
        password: fields.password,
        ...(fields.name.trim() === "" ? {} : { name: fields.name.trim() }),
        ...(invitation && { inviteToken: invitation.token }),
      });
      window.location.assign(await toFirstPage(invitation, next ?? `/w/${workspace.slug}`));
    } catch (error) {
      if (error instanceof ApiError && error.code === "email_taken") {
        setIsTaken(true);
        form.setFocus("email");
        return;
      }
      setFailure(placeFailure(error, ["name", "email", "password"], form.setError));
    }
  });

  const taken = (
    <>
      This email already has an account. <Link href={loginHref}>Sign in</Link>
    </>
  );
  return (
    <form className="auth-form" onSubmit={submit} noValidate aria-label="Create account" method="post">
      {failure && <FormFailure>{failure}</FormFailure>}
      <TextField
        label="Name"
        autoComplete="name"
        autoFocus
        error={errors.name?.message}
        {...form.register("name", { maxLength: { value: 120, message: "Use at most 120 characters." } })}
      />
      <TextField
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        error={isTaken ? taken : errors.email?.message}
        readOnly={invitation !== null}
        help={
          invitation
            ? "Set by your invitation."
            : toSuggestion(suggestion, (meant) => form.setValue("email", meant, { shouldValidate: true }))
        }
        {...form.register("email", {
          validate: (value) => findEmailProblem(value) ?? true,
          onChange: () => setIsTaken(false),
        })}
      />
      <PasswordField
        label="Password"
        autoComplete="new-password"
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
      <button type="submit" className="btn primary lg" disabled={isBusy}>
        {isBusy ? "Creating account" : invitation ? "Create account and join" : "Create account"}
      </button>
      <p className="auth-foot">
        {invitation ? "Also includes" : "Includes"} your own workspace with a sample database.
      </p>
    </form>
  );
}

/**
 * Returns the first page of a new account: the workspace of its invitation. The account stays valid if joining fails.
 */
async function toFirstPage(invitation: Invited | null, otherwise: string): Promise<string> {
  if (invitation === null) return otherwise;
  try {
    const { workspace } = await accountApi.acceptInvite(invitation.token);
    return `/w/${workspace.slug}`;
  } catch {
    // The invitation's page shows the problem and offers a retry.
    return `/invites/${invitation.token}`;
  }
}

function toSuggestion(meant: string | null, onUse: (meant: string) => void): ReactNode {
  if (meant === null) return null;
  return (
    <>
      Did you mean{" "}
      <button type="button" className="link" onClick={() => onUse(meant)}>
        {meant}
      </button>
      ?
    </>
  );
}
