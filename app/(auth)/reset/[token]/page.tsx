import type { Metadata } from "next";
import Link from "next/link";
import { AuthFrame } from "@/components/auth/auth-frame";
import { ResetForm } from "@/components/auth/reset-form";
import { isResetLinkOpen } from "@/lib/features/accounts/reset-service";

export const metadata: Metadata = { title: "Choose a new password", referrer: "no-referrer" };

export default async function ResetPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  if (!(await isResetLinkOpen(token))) {
    return (
      <AuthFrame>
        <EndedLink />
      </AuthFrame>
    );
  }
  return (
    <AuthFrame>
      <h1>Choose a new password</h1>
      <p>You'll be signed out of all devices.</p>
      <ResetForm token={token} />
    </AuthFrame>
  );
}

function EndedLink() {
  return (
    <>
      <h1>Link expired</h1>
      <p>Reset links work once and expire after 30 minutes.</p>
      <div className="auth-form">
        <Link className="btn primary lg" href="/forgot">
          Request new link
        </Link>
        <Link className="btn lg" href="/login">
          Sign in
        </Link>
      </div>
    </>
  );
}
