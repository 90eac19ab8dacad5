"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";
import { FormFailure } from "@/components/auth/form-failure";
import { PasswordField } from "@/components/auth/password-field";
import { findPasswordProblem } from "@/components/auth/password-rules";
import { StrengthBar } from "@/components/auth/strength-bar";
import { TextField } from "@/components/ui/text-field";
import { useServerForm } from "@/components/ui/use-server-form";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { authApi } from "@/lib/features/accounts/browser/auth";
import { suggestEmail } from "@/lib/features/accounts/browser/email-suggestion";
import { toPasswordStrength } from "@/lib/features/accounts/browser/password-strength";
import { findEmailProblem } from "@/lib/platform/browser/email-help";
import { ApiError } from "@/lib/platform/browser/request";

/** The invitation that the account is created for. */
type Invited = { token: string; email: string; workspaceName: string };
/** The server's limit. */
const NAME_CHARS_MAX = 120;

type RegisterFields = { name: string; email: string; password: string };

type RegisterFormProps = { next: string | null; loginHref: string; invitation: Invited | null };

/**
 * @param next path of this site to open afterwards, already validated by the page; null is the new workspace
 * @param loginHref the sign-in page, with the same `next`
 * @param invitation accepted at once by the new account; its address is fixed, since it is valid for that one only
 */
export function RegisterForm({ next, loginHref, invitation }: RegisterFormProps) {
  const [isTaken, setIsTaken] = useState(false);
  const { form, formProps, failure, isBusy, text } = useServerForm<RegisterFields>({
    initial: { name: "", email: invitation?.email ?? "", password: "" },
    fields: ["name", "email", "password"],
    mode: "onTouched",
    check: ({ name, email, password }) => ({
      name: name.length > NAME_CHARS_MAX ? `Use at most ${NAME_CHARS_MAX} characters.` : undefined,
      email: findEmailProblem(email) ?? undefined,
      password: findPasswordProblem(password),
    }),
    send: async (fields) => {
      setIsTaken(false);
      const { workspace } = await authApi.register({
        email: fields.email.trim(),
        password: fields.password,
        ...(fields.name.trim() === "" ? {} : { name: fields.name.trim() }),
        ...(invitation && { inviteToken: invitation.token }),
      });
      window.location.assign(await toFirstPage(invitation, next ?? `/w/${workspace.slug}`));
      return "left";
    },
    onFailure: (error, form) => {
      if (!(error instanceof ApiError) || error.code !== "email_taken") return false;
      setIsTaken(true);
      form.setFocus("email");
      return true;
    },
  });
  const [name, email, password] = form.watch(["name", "email", "password"]);
  const strength = toPasswordStrength(password, [name, email]);
  const suggestion = suggestEmail(email);
  const emailField = text("email");

  const taken = (
    <>
      This email already has an account. <Link href={loginHref}>Sign in</Link>
    </>
  );
  return (
    <form {...formProps} className="auth-form" aria-label="Create account" method="post">
      {failure && <FormFailure>{failure}</FormFailure>}
      <TextField label="Name" autoComplete="name" autoFocus {...text("name")} />
      <TextField
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        readOnly={invitation !== null}
        help={
          invitation
            ? "Set by your invitation."
            : toSuggestion(suggestion, (meant) => form.setValue("email", meant, { shouldValidate: true }))
        }
        {...emailField}
        error={isTaken ? taken : emailField.error}
        onChange={(event) => {
          setIsTaken(false);
          void emailField.onChange(event);
        }}
      />
      <PasswordField
        label="Password"
        autoComplete="new-password"
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
