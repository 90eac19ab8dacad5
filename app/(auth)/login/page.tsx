import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { AuthFrame } from "@/components/auth/auth-frame";
import { LoginForm } from "@/components/auth/login-form";
import { ProviderButtons } from "@/components/auth/provider-buttons";
import { signInProviders } from "@/lib/auth/oauth";
import { getPageSession } from "@/lib/auth/page-session";
import { toSafeNext } from "@/lib/ui/safe-next";

export const metadata: Metadata = { title: "Sign in" };

export default async function LoginPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const { next } = await searchParams;
  const target = toSafeNext(typeof next === "string" ? next : null);
  if ((await getPageSession()) !== null) redirect(target ?? "/");
  return (
    <AuthFrame>
      <h1>Sign in</h1>
      <p>
        New here?{" "}
        <Link href={target ? `/register?next=${encodeURIComponent(target)}` : "/register"}>Create an account</Link>
      </p>
      <ProviderButtons providers={signInProviders()} next={target ?? "/"} />
      <LoginForm next={target ?? "/"} />
    </AuthFrame>
  );
}
