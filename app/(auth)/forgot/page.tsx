import type { Metadata } from "next";
import Link from "next/link";
import { AuthFrame } from "@/components/auth/auth-frame";
import { ForgotForm } from "@/components/auth/forgot-form";

export const metadata: Metadata = { title: "Set a new password" };

export default function ForgotPage() {
  return (
    <AuthFrame>
      <h1>Set a new password</h1>
      <p>
        Remember it after all? <Link href="/login">Sign in</Link>
      </p>
      <ForgotForm />
    </AuthFrame>
  );
}
