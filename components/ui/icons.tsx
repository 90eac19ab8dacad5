import type { ReactNode } from "react";

/*
 * Icons of the pages that everyone waits for first. The icon library would be loaded with each of them
 * (docs/develop/decisions/libraries.md).
 */

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      // Same size and weight as the library's icons.
      className="lucide"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

/** Icon of a failure. */
export function FailureIcon() {
  return (
    <Icon>
      <circle cx="12" cy="12" r="10" />
      <path d="m15 9-6 6m0-6 6 6" />
    </Icon>
  );
}

/** @param isCrossed for the action that hides it again */
export function EyeIcon({ isCrossed }: { isCrossed: boolean }) {
  return (
    <Icon>
      <path d="M2 12c2.3-4.7 5.7-7 10-7s7.7 2.3 10 7c-2.3 4.7-5.7 7-10 7s-7.7-2.3-10-7Z" />
      <circle cx="12" cy="12" r="3" />
      {isCrossed && <path d="M3 3l18 18" />}
    </Icon>
  );
}

export function LockIcon() {
  return (
    <Icon>
      <rect x="4" y="11" width="16" height="10" rx="2" />
      <path d="M8 11V7a4 4 0 0 1 8 0v4" />
    </Icon>
  );
}

export function WarningIcon() {
  return (
    <Icon>
      <path d="M12 4 2.5 20h19ZM12 10v4m0 3v.01" />
    </Icon>
  );
}
