import { showFailure } from "@/components/ui/toast";
import { authApi } from "@/lib/features/accounts/browser/auth";
import { ApiError } from "@/lib/platform/browser/request";

let isUnderWay = false;

/** Returns whether the user is signing out: requests that the server then rejects do not mean an expired session. */
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
    showFailure(error instanceof ApiError ? `Couldn't sign out. ${error.message}` : "Couldn't sign out. Try again.");
  }
}
