import { showFailure } from "@/components/ui/toast";
import { authApi } from "@/lib/features/accounts/browser/auth";
import { ApiError } from "@/lib/platform/browser/request";

let isUnderWay = false;

/** Whether the person is leaving on purpose: what the server refuses from then on is no session that has run out. */
export function isSigningOut(): boolean {
  return isUnderWay;
}

/** Ends the session on the server, then shows the sign-in page. */
export async function signOut(): Promise<void> {
  isUnderWay = true;
  try {
    await authApi.logout();
    window.location.assign("/login");
  } catch (error) {
    isUnderWay = false;
    showFailure(
      error instanceof ApiError ? `You are still signed in. ${error.message}` : "You are still signed in. Try again.",
    );
  }
}
