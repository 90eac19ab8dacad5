"use client";

import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";

/** A list or a page that could not be read: why, and the way to try again. */
export function LoadFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Notice
      kind="bad"
      role="alert"
      action={
        <button type="button" className="btn sm" onClick={onRetry}>
          Try again
        </button>
      }
    >
      {toMessage(error)}
    </Notice>
  );
}
