"use client";

import { ShieldCheck } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { shareApi } from "@/lib/features/shares/browser/client";

type UnlockShareProps = {
  token: string;
  title: string;
  description: string;
  /** Opens the page. @returns false if it is still locked: the browser has not stored the cookie */
  onUnlocked: () => Promise<boolean>;
};

/** Message for a frame of another site, where browsers store cookies on https only, and some of them none at all. */
const NO_COOKIE =
  "The password is right, but this browser keeps no cookie here. Open the link in a window of its own, or allow cookies.";

/** Asks for the password of a protected share. */
export function UnlockShare({ token, title, description, onUnlocked }: UnlockShareProps) {
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (password === "") return setProblem("Enter the password.");
    setIsBusy(true);
    setProblem(null);
    try {
      await shareApi.unlock(token, password);
      if (!(await onUnlocked())) setProblem(NO_COOKIE);
    } catch (error) {
      setProblem(toMessage(error));
      form.current?.querySelector("input")?.select();
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <main className="shared-locked" aria-labelledby="page-title">
      <form ref={form} className="card shared-unlock" onSubmit={submit} noValidate aria-label="Unlock" method="post">
        <h1 id="page-title">This page has a password</h1>
        <p className="t2">
          <b className="b5">{title}</b>
          {description !== "" && `: ${description}`}
        </p>
        <p className="t2">Ask the person who sent you the link.</p>
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={({ target }) => setPassword(target.value)}
          error={problem}
        />
        <button type="submit" className="btn primary lg" disabled={isBusy}>
          {isBusy ? "Opening" : "Open the page"}
        </button>
        <p className="xs t3 row">
          <ShieldCheck className="s" />
          No account is needed. After ten wrong tries it pauses for 15 minutes.
        </p>
      </form>
    </main>
  );
}
