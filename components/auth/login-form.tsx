"use client";

import { type FormEvent, useEffect, useState } from "react";
import { FormFailure } from "@/components/auth/form-failure";
import { PasswordField } from "@/components/auth/password-field";
import { forgetRuns } from "@/components/consoles/run-storage";
import { placeFailure } from "@/components/ui/form-failure";
import { TextField } from "@/components/ui/text-field";
import { authApi } from "@/lib/features/accounts/browser/auth";
import { findEmailProblem } from "@/lib/platform/browser/email-help";

type LoginFields = { email: string; password: string };
type Problems = Partial<Record<keyof LoginFields, string>>;

/** In the order of the form, in which problems get the focus. */
const FIELDS = ["email", "password"] as const;

/**
 * Everyone waits for this page first, so its two fields do without the library of the larger forms
 * (docs/develop/decisions/libraries.md).
 * @param next path of this site to open afterwards, already validated by the page
 * @param email the invited address; empty if it is not known
 */
export function LoginForm({ next, email = "" }: { next: string; email?: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [problems, setProblems] = useState<Problems>({});
  const [wasSent, setWasSent] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => forgetRuns(sessionStorage), []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A repeated key sends one request.
    if (isBusy) return;
    const form = event.currentTarget;
    // Includes values that a password manager filled in without an event.
    const values = readFields(form);
    const found = findProblems(values);
    setWasSent(true);
    setFailure(null);
    setProblems(found);
    const first = FIELDS.find((name) => found[name] !== undefined);
    if (first) return focusField(form, first);
    setIsBusy(true);
    try {
      await authApi.login({ email: values.email.trim(), password: values.password });
      // A full load: the next pages are rendered on the server for this user.
      window.location.assign(next);
    } catch (error) {
      setIsBusy(false);
      setFailure(
        placeFailure<LoginFields>(error, [...FIELDS], (field, { message }) =>
          setProblems((all) => ({ ...all, [field]: message })),
        ),
      );
      focusField(form, "password");
    }
  };
  // Nothing is validated before it is sent: a message that appears when a field loses focus would move the links below
  // it away from under the pointer.
  const judgeAgain = (event: FormEvent<HTMLFormElement>) => {
    if (wasSent) setProblems(findProblems(readFields(event.currentTarget)));
  };

  return (
    <form className="auth-form" onSubmit={submit} onInput={judgeAgain} noValidate aria-label="Sign in" method="post">
      {failure && <FormFailure>{failure}</FormFailure>}
      <TextField
        label="Email"
        name="email"
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        autoFocus={email === ""}
        defaultValue={email}
        error={problems.email}
      />
      <PasswordField
        label="Password"
        name="password"
        aside={
          <a className="xs" href="/forgot">
            Forgot password?
          </a>
        }
        autoComplete="current-password"
        autoFocus={email !== ""}
        error={problems.password}
      />
      <button type="submit" className="btn primary lg" disabled={isBusy}>
        {isBusy ? "Signing in" : "Sign in"}
      </button>
    </form>
  );
}

function readFields(form: HTMLFormElement): LoginFields {
  const data = new FormData(form);
  return { email: String(data.get("email") ?? ""), password: String(data.get("password") ?? "") };
}

function findProblems({ email, password }: LoginFields): Problems {
  const emailProblem = findEmailProblem(email);
  return {
    ...(emailProblem !== null && { email: emailProblem }),
    ...(password === "" && { password: "Enter your password." }),
  };
}

function focusField(form: HTMLFormElement, name: keyof LoginFields): void {
  const field = form.elements.namedItem(name);
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  field.select();
}
