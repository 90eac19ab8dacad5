import type { Metadata } from "next";
import { AuthFrame } from "@/components/auth/auth-frame";
import { ResetForm } from "@/components/auth/reset-form";

export const metadata: Metadata = { title: "Choose a new password", referrer: "no-referrer" };

export default async function ResetPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  return (
    <AuthFrame>
      <h1>Choose a new password</h1>
      <p>All your sessions end, and you sign in with the new one.</p>
      <ResetForm token={token} />
    </AuthFrame>
  );
}
