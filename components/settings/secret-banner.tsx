"use client";

import { KeyRound } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useRef } from "react";
import { Confirm } from "@/components/ui/confirm";
import { CopyButton } from "@/components/ui/copy-button";
import { useLeaveGuard } from "@/components/ui/use-leave-guard";
import "@/components/ui/page.css";

type SecretBannerProps = {
  name: string;
  /** Kind of the secret, for the text. */
  noun?: "key" | "secret";
  secret: string;
  /** Advice for a lost secret. */
  lost?: string;
  /** Purpose of the secret. */
  children?: ReactNode;
  onSaved: () => void;
};

const LOST_KEY = "You won't see it again. If you lose it, create a new key and revoke this one.";

/** A secret that is shown once (docs/develop/design.md, Parts). It stays until the user confirms having saved it. */
export function SecretBanner(props: SecretBannerProps) {
  const { name, noun = "key", secret, lost = LOST_KEY, children, onSaved } = props;
  const router = useRouter();
  const boxRef = useRef<HTMLElement>(null);
  const { pressed, stay } = useLeaveGuard(true);
  useEffect(() => boxRef.current?.focus(), []);
  const leave = () => {
    if (pressed === null) return;
    onSaved();
    const target = new URL(pressed);
    if (target.origin === window.location.origin) router.push(`${target.pathname}${target.search}`);
    else window.location.assign(pressed);
  };
  return (
    <section ref={boxRef} className="secret" aria-label={`The new ${noun}`} tabIndex={-1}>
      <div className="row">
        <KeyRound />
        <b className="b6">Copy "{name}" now. You won't see it again.</b>
      </div>
      <div className="row secret-line">
        <div className="input mono grow">
          <input
            aria-label={noun === "key" ? "Key" : "Secret"}
            readOnly
            value={secret}
            onFocus={(event) => event.target.select()}
          />
        </div>
        <CopyButton text={secret} label={`Copy ${noun}`} className="btn primary secret-copy" />
      </div>
      {children}
      <div className="row between xs t2 secret-foot">
        <span>{lost}</span>
        <button type="button" className="link b5" onClick={onSaved}>
          Done
        </button>
      </div>
      <Confirm
        title={`Leave without copying the ${noun}?`}
        action="Leave page"
        isOpen={pressed !== null}
        isBusy={false}
        failure={null}
        onConfirm={leave}
        onClose={stay}
      >
        <p>
          "{name}" won't be shown again. Copy it first, or create a new {noun} later.
        </p>
      </Confirm>
    </section>
  );
}
