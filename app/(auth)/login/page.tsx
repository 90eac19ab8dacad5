import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { AuthFrame } from "@/components/auth/auth-frame";
import { EndedInvite } from "@/components/auth/ended-invite";
import { FormFailure } from "@/components/auth/form-failure";
import { LoginForm } from "@/components/auth/login-form";
import { ProviderButtons } from "@/components/auth/provider-buttons";
import { toSafeNext } from "@/lib/features/accounts/browser/safe-next";
import { toSignInFailure } from "@/lib/features/accounts/browser/sign-in-failure";
import { findInvitationBehind } from "@/lib/features/accounts/invites/service";
import { signInProviders } from "@/lib/features/accounts/oauth";
import { getPageSession } from "@/lib/features/accounts/page-session";
import { offersSignUp } from "@/lib/features/accounts/sign-up";
import { hasAccounts } from "@/lib/features/users/service";

export const metadata: Metadata = { title: "Sign in" };

type Search = { next?: string | string[]; error?: string | string[] };

export default async function LoginPage({ searchParams }: { searchParams: Promise<Search> }) {
  const { next, error } = await searchParams;
  const failure = toSignInFailure(Array.isArray(error) ? error[0] : error);
  const target = toSafeNext(typeof next === "string" ? next : null);
  if ((await getPageSession()) !== null) redirect(target ?? "/");
  if (!(await hasAccounts())) redirect(target ? `/register?next=${encodeURIComponent(target)}` : "/register");
  const invitation = await findInvitationBehind(target);
  if (invitation === "ended") {
    return (
      <AuthFrame>
        <EndedInvite isSignedIn={false} />
      </AuthFrame>
    );
  }
  return (
    <AuthFrame>
      <h1>Sign in</h1>
      {invitation && (
        <p>
          {invitation.inviterName} invited you to <b className="b6">{invitation.workspaceName}</b>.
        </p>
      )}
      {(invitation || (await offersSignUp())) && (
        <p>
          No account yet?{" "}
          {/* A link of the framework would bring its router's prefetching along, for one of two links. */}
          <a href={target ? `/register?next=${encodeURIComponent(target)}` : "/register"}>Create account</a>
        </p>
      )}
      {failure && <FormFailure>{failure}</FormFailure>}
      <ProviderButtons providers={signInProviders()} next={target ?? "/"} />
      <LoginForm next={target ?? "/"} email={invitation ? invitation.email : ""} />
    </AuthFrame>
  );
}
