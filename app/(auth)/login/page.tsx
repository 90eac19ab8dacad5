import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { AuthFrame } from "@/components/auth/auth-frame";
import { LoginForm } from "@/components/auth/login-form";
import { ProviderButtons } from "@/components/auth/provider-buttons";
import { Notice } from "@/components/ui/notice";
import { signInProviders } from "@/lib/auth/oauth";
import { getPageSession } from "@/lib/auth/page-session";
import { toSafeNext } from "@/lib/ui/safe-next";
import { toSignInFailure } from "@/lib/ui/sign-in-failure";

export const metadata: Metadata = { title: "Sign in" };

type Search = { next?: string | string[]; error?: string | string[] };

export default async function LoginPage({ searchParams }: { searchParams: Promise<Search> }) {
  const { next, error } = await searchParams;
  const failure = toSignInFailure(Array.isArray(error) ? error[0] : error);
  const target = toSafeNext(typeof next === "string" ? next : null);
  if ((await getPageSession()) !== null) redirect(target ?? "/");
  return (
    <AuthFrame>
      <h1>Sign in</h1>
      <p>
        New here?{" "}
        <Link href={target ? `/register?next=${encodeURIComponent(target)}` : "/register"}>Create an account</Link>
      </p>
      {failure && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      <ProviderButtons providers={signInProviders()} next={target ?? "/"} />
      <LoginForm next={target ?? "/"} />
    </AuthFrame>
  );
}
