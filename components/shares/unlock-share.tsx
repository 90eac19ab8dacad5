"use client";

import { ShieldCheck } from "lucide-react";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { useServerForm } from "@/components/ui/use-server-form";
import { shareApi } from "@/lib/features/shares/browser/client";

type UnlockShareProps = {
  token: string;
  title: string;
  description: string;
  /** Opens the page. @returns false if it is still locked: the browser has not stored the cookie */
  onUnlocked: () => Promise<boolean>;
};

/** Message for a frame of another site, where browsers store cookies on https only, and some of them none at all. */
const NO_COOKIE = "The password is correct, but cookies are blocked. Open the link in a new window or allow cookies.";

/** Asks for the password of a protected share. */
export function UnlockShare({ token, title, description, onUnlocked }: UnlockShareProps) {
  const { formProps, text, isBusy } = useServerForm<{ password: string }>({
    initial: { password: "" },
    fields: ["password"],
    check: ({ password }) => (password === "" ? { password: "Enter the password." } : {}),
    send: async ({ password }, form) => {
      await shareApi.unlock(token, password);
      if (!(await onUnlocked())) form.setError("password", { message: NO_COOKIE });
    },
    onFailure: (error, form) => {
      form.setError("password", { message: toMessage(error) });
      form.setFocus("password", { shouldSelect: true });
      return true;
    },
  });
  return (
    <main className="shared-locked" aria-labelledby="page-title">
      <form {...formProps} className="card shared-unlock" aria-label="Unlock" method="post">
        <h1 id="page-title">Password required</h1>
        <p className="t2">
          <b className="b5">{title}</b>
          {description !== "" && `: ${description}`}
        </p>
        <p className="t2">Ask the sender for the password.</p>
        <TextField label="Password" type="password" autoComplete="current-password" autoFocus {...text("password")} />
        <button type="submit" className="btn primary lg" disabled={isBusy}>
          {isBusy ? "Opening" : "Open page"}
        </button>
        <p className="xs t3 row">
          <ShieldCheck className="s" />
          No account needed. Locks for 15 minutes after 10 failed attempts.
        </p>
      </form>
    </main>
  );
}
