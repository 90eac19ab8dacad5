import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { AuthFrame } from "@/components/auth/auth-frame";
import { ProviderButtons } from "@/components/auth/provider-buttons";
import { ReachNotice } from "@/components/auth/reach-notice";
import { RegisterForm } from "@/components/auth/register-form";
import { signInProviders } from "@/lib/auth/oauth";
import { getPageSession } from "@/lib/auth/page-session";
import { env } from "@/lib/env";
import { toReach } from "@/lib/net/reach";
import { toSafeNext } from "@/lib/ui/safe-next";
import { hasAccounts } from "@/lib/users/service";

export const metadata: Metadata = { title: "Create your account" };

export default async function RegisterPage({ searchParams }: { searchParams: Promise<{ next?: string | string[] }> }) {
  const { next } = await searchParams;
  const target = toSafeNext(typeof next === "string" ? next : null);
  if ((await getPageSession()) !== null) redirect(target ?? "/");
  const loginHref = target ? `/login?next=${encodeURIComponent(target)}` : "/login";
  return (
    <AuthFrame>
      <h1>Create your account</h1>
      <p>
        Already have one? <Link href={loginHref}>Sign in</Link>
      </p>
      {!(await hasAccounts()) && <ReachNotice reach={toReach(env())} />}
      <ProviderButtons providers={signInProviders()} next={target ?? "/"} />
      <RegisterForm next={target} loginHref={loginHref} />
    </AuthFrame>
  );
}
