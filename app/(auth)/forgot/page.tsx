import type { Metadata } from "next";
import Link from "next/link";
import { AuthFrame } from "@/components/auth/auth-frame";
import { ForgotForm } from "@/components/auth/forgot-form";

export const metadata: Metadata = { title: "Reset your password" };

export default function ForgotPage() {
  return (
    <AuthFrame>
      <h1>Reset your password</h1>
      <p>
        Remember your password? <Link href="/login">Sign in</Link>
      </p>
      <ForgotForm />
    </AuthFrame>
  );
}
