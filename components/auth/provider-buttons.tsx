"use client";

import { useState } from "react";
import { FormFailure } from "@/components/auth/form-failure";
import { toMessage } from "@/components/ui/to-message";

export type Provider = "github" | "google";
const NAMES: Record<Provider, string> = { github: "GitHub", google: "Google" };

/** Ways to sign in without a password, if the installation has any. @param next path to open afterwards */
export function ProviderButtons({ providers, next }: { providers: Provider[]; next: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState<Provider | null>(null);
  if (providers.length === 0) return null;
  const go = async (provider: Provider) => {
    setFailure(null);
    setBusy(provider);
    try {
      const { signInWith } = await import("@/lib/features/accounts/browser/oauth");
      window.location.assign(await signInWith(provider, next));
    } catch (error) {
      setFailure(toMessage(error));
      setBusy(null);
    }
  };
  return (
    <>
      {failure && <FormFailure>{failure}</FormFailure>}
      <div className="auth-providers">
        {providers.map((provider) => (
          <button
            key={provider}
            type="button"
            className="btn lg"
            disabled={busy !== null}
            aria-label={`Continue with ${NAMES[provider]}`}
            onClick={() => go(provider)}
          >
            {NAMES[provider]}
          </button>
        ))}
      </div>
      <div className="auth-or">or continue with email</div>
    </>
  );
}
