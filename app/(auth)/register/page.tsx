import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { AuthFrame } from "@/components/auth/auth-frame";
import { EndedInvite } from "@/components/auth/ended-invite";
import { ProviderButtons } from "@/components/auth/provider-buttons";
import { ReachNotice } from "@/components/auth/reach-notice";
import { RegisterForm } from "@/components/auth/register-form";
import { toSafeNext } from "@/lib/features/accounts/browser/safe-next";
import { findInvitationBehind } from "@/lib/features/accounts/invites/service";
import { toInvitedRole } from "@/lib/features/accounts/invites/words";
import { signInProviders } from "@/lib/features/accounts/oauth";
import { getPageSession } from "@/lib/features/accounts/page-session";
import { offersSignUp } from "@/lib/features/accounts/sign-up";
import { hasAccounts } from "@/lib/features/users/service";
import { env } from "@/lib/platform/env";
import { toReach } from "@/lib/platform/net/exposure";

export const metadata: Metadata = { title: "Create account" };

export default async function RegisterPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const { next } = await searchParams;
  const target = toSafeNext(typeof next === "string" ? next : null);
  if ((await getPageSession()) !== null) redirect(target ?? "/");
  const invitation = await findInvitationBehind(target);
  if (invitation === "ended") {
    return (
      <AuthFrame>
        <EndedInvite isSignedIn={false} />
      </AuthFrame>
    );
  }
  if (invitation === null && !(await offersSignUp())) {
    return (
      <AuthFrame>
        <h1>Registration is closed</h1>
        <p>Ask a workspace admin to invite you, then open the link in the invitation.</p>
        <Link className="btn lg" href="/login">
          Sign in
        </Link>
      </AuthFrame>
    );
  }
  const loginHref = target ? `/login?next=${encodeURIComponent(target)}` : "/login";
  return (
    <AuthFrame>
      <h1>{invitation ? `Join ${invitation.workspaceName}` : "Create account"}</h1>
      {invitation && (
        <p>
          {invitation.inviterName} invited you as {toInvitedRole(invitation.role)}. Create an account to join.
        </p>
      )}
      <p>
        Already have an account? <Link href={loginHref}>Sign in</Link>
      </p>
      {!(await hasAccounts()) && env().SIGN_UP.mode === "open" && <ReachNotice reach={toReach(env())} />}
      <ProviderButtons providers={signInProviders()} next={target ?? "/"} />
      <RegisterForm next={target} loginHref={loginHref} invitation={invitation} />
    </AuthFrame>
  );
}
