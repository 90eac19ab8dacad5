"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { copyText } from "@/components/ui/copy-text";
import { announce } from "@/components/ui/live-region";

/** Time for which the button confirms the copy, in ms. */
const SAID_MS = 2000;

type CopyButtonProps = { text: string; label?: string; name?: string; className?: string; onCopied?: () => void };

/** Copies a text and confirms it. @param name read out instead of the label, if a page has several */
export function CopyButton({ text, label = "Copy", name, className = "btn sm", onCopied }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    const isCopied = await copyText(text);
    setOutcome(isCopied ? "copied" : "refused");
    announce(isCopied ? "Copied" : "The browser blocked copying. Select the text and copy it.", !isCopied);
    if (isCopied) onCopied?.();
  };
  return (
    <button type="button" className={className} aria-label={outcome === null ? name : undefined} onClick={copy}>
      {outcome === "copied" ? <Check className="s" /> : <Copy className="s" />}
      {outcome === "copied" ? "Copied" : outcome === "refused" ? "Blocked" : label}
    </button>
  );
}
