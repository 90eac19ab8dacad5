import { showFailure } from "@/components/ui/toast";
import { authApi } from "@/lib/features/accounts/browser/auth";
import { ApiError } from "@/lib/platform/browser/request";

let isUnderWay = false;
let hasEnded = false;

/** Returns whether the page closes because the session has ended, or is about to: then it stores no data of the user. */
export function isLeaving(): boolean {
  return isUnderWay || hasEnded;
}

/** Shows the sign-in page after the session has ended elsewhere. The user returns to the current page. */
export function goToLogin(): void {
  if (isUnderWay) return;
  hasEnded = true;
  const here = `${window.location.pathname}${window.location.search}`;
  window.location.assign(`/login?next=${encodeURIComponent(here)}`);
}

/** Ends the session on the server, then shows the sign-in page. */
export async function signOut(): Promise<void> {
  isUnderWay = true;
  try {
    await authApi.logout();
    window.location.assign("/login");
  } catch (error) {
    isUnderWay = false;
    showFailure(error instanceof ApiError ? `Couldn't sign out. ${error.message}` : "Couldn't sign out. Try again.");
  }
}
