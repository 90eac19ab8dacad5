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
      <p>All your sessions end, and you sign in with the new one.</p>
      <ResetForm token={token} />
    </AuthFrame>
  );
}

function EndedLink() {
  return (
    <>
      <h1>This link has ended</h1>
      <p>It works once and for 30 minutes, and a changed password ends it, too.</p>
      <div className="auth-form">
        <Link className="btn primary lg" href="/forgot">
          Ask for a new link
        </Link>
        <Link className="btn lg" href="/login">
          Sign in
        </Link>
      </div>
    </>
  );
}
