"use client";

import { useState } from "react";
import { toMessage } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { signInWith } from "@/lib/client/oauth";

export type Provider = "github" | "google";
const NAMES: Record<Provider, string> = { github: "GitHub", google: "Google" };

/** Ways to sign in without a password, where the installation has set some up. @param next where to come back to */
export function ProviderButtons({ providers, next }: { providers: Provider[]; next: string }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState<Provider | null>(null);
  if (providers.length === 0) return null;
  const go = async (provider: Provider) => {
    setFailure(null);
    setBusy(provider);
    try {
      window.location.assign(await signInWith(provider, next));
    } catch (error) {
      setFailure(toMessage(error));
      setBusy(null);
    }
  };
  return (
    <>
      {failure && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
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
      <div className="auth-or">or with email</div>
    </>
  );
}
