"use client";

import { useIsApple } from "@/components/ui/use-browser";
import { toKeyLabel } from "@/lib/platform/browser/key-label";

/** A shortcut as it stands on this keyboard: the Command sign on Apple's, Ctrl elsewhere. */
export function Keys({ keys }: { keys: string }) {
  const isApple = useIsApple();
  return (
    <span className="keys" aria-hidden="true">
      <kbd>{toKeyLabel(keys, isApple)}</kbd>
    </span>
  );
}
