"use client";

import Link from "next/link";
import { useState } from "react";
import { FormFailure } from "@/components/ui/form-parts";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { authApi } from "@/lib/features/accounts/browser/auth";

/** Shown to a signed-out visitor: both sign-in and registration lead back to the invitation. */
export function OpenInvite({ token }: { token: string }) {
  const next = encodeURIComponent(`/invites/${token}`);
  return (
    <div className="auth-form">
      <Link className="btn primary lg" href={`/register?next=${next}`}>
        Create account
      </Link>
      <Link className="btn lg" href={`/login?next=${next}`}>
        Sign in
      </Link>
      <p className="auth-foot">Use the email address that received the invitation.</p>
    </div>
  );
}

export function AcceptInvite({ token, workspaceName }: { token: string; workspaceName: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const accept = async () => {
    setFailure(null);
    setIsBusy(true);
    try {
      const { workspace } = await accountApi.acceptInvite(token);
      window.location.assign(`/w/${workspace.slug}`);
    } catch (error) {
      setFailure(toMessage(error));
      setIsBusy(false);
    }
  };
  return (
    <div className="auth-form">
      <FormFailure text={failure} />
      <button type="button" className="btn primary lg" disabled={isBusy} onClick={accept}>
        {isBusy ? "Joining" : `Join ${workspaceName}`}
      </button>
      <Link className="btn lg" href="/">
        Not now
      </Link>
    </div>
  );
}

/** Shown to a user with another address: an invitation is for one address. */
export function ForeignInvite({ token, ownEmail, email }: { token: string; ownEmail: string; email: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const change = async () => {
    setFailure(null);
    setIsBusy(true);
    try {
      await authApi.logout();
      window.location.assign(`/login?next=${encodeURIComponent(`/invites/${token}`)}`);
    } catch (error) {
      setFailure(toMessage(error));
      setIsBusy(false);
    }
  };
  return (
    <div className="auth-form">
      <FormFailure text={failure} />
      <Notice kind="warn">
        This invitation is for <b className="b6">{email}</b>. You're signed in as <b className="b6">{ownEmail}</b>.
        Switch accounts to accept it.
      </Notice>
      <button type="button" className="btn primary lg" disabled={isBusy} onClick={change}>
        {isBusy ? "Signing out" : "Switch account"}
      </button>
      <Link className="btn lg" href="/">
        Back to workspace
      </Link>
    </div>
  );
}
