"use client";

import { Notice } from "@/components/ui/notice";
import { ApiError } from "@/lib/client/api";

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

/** A failure as people are told about it. */
export function toMessage(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return "Something stopped this here in the browser. Load the page again.";
}
