"use client";

import { CircleX } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { PasswordField } from "@/components/auth/password-field";
import { placeFailure } from "@/components/ui/form-failure";
import { TextField } from "@/components/ui/text-field";
import { api } from "@/lib/client/api";
import { findEmailProblem } from "@/lib/ui/email-help";

type LoginFields = { email: string; password: string };

/** @param next where to go afterwards: a path of this site, already judged by the page */
export function LoginForm({ next }: { next: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  // Nothing is judged before it is sent: a message that appears on leaving a field would move the links below it away
  // from under the pointer.
  const form = useForm<LoginFields>({ defaultValues: { email: "", password: "" } });
  const { errors, isSubmitting, isSubmitSuccessful } = form.formState;
  const isBusy = isSubmitting || (isSubmitSuccessful && failure === null && Object.keys(errors).length === 0);

  const submit = form.handleSubmit(async ({ email, password }) => {
    setFailure(null);
    try {
      await api.login({ email: email.trim(), password });
      // A full load: the pages behind are drawn on the server for this person.
      window.location.assign(next);
    } catch (error) {
      const text = placeFailure(error, ["email", "password"], form.setError);
      setFailure(text);
      form.setFocus("password", { shouldSelect: true });
    }
  });

  return (
    <form className="auth-form" onSubmit={submit} noValidate aria-label="Sign in" method="post">
      {failure && (
        <div className="note danger" role="alert">
          <CircleX />
          <span>{failure}</span>
        </div>
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
      <PasswordField
        label="Password"
        aside={
          <Link className="xs" href="/forgot">
            Forgot it?
          </Link>
        }
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register("password", { required: "Enter your password." })}
      />
      <button type="submit" className="btn primary lg" disabled={isBusy}>
        {isBusy ? "Signing in" : "Sign in"}
      </button>
    </form>
  );
}
