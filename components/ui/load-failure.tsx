"use client";

import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";

/** Says why a list or a page could not be loaded, with a retry. */
export function LoadFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Notice
      kind="bad"
      role="alert"
      action={
        <button type="button" className="btn sm" onClick={onRetry}>
          Retry
        </button>
      }
    >
      {toMessage(error)}
    </Notice>
  );
}
