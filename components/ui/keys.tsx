"use client";

import { useIsApple } from "@/components/ui/use-browser";
import { toKeyLabel } from "@/lib/platform/browser/key-label";

/** Shows a shortcut for the user's platform: the Command sign on Apple devices, Ctrl elsewhere. */
export function Keys({ keys }: { keys: string }) {
  const isApple = useIsApple();
  return (
    <span className="keys" aria-hidden="true">
      <kbd>{toKeyLabel(keys, isApple)}</kbd>
    </span>
  );
}
