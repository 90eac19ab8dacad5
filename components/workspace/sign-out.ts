import { showFailure } from "@/components/ui/toast";
import { authApi } from "@/lib/client/auth";
import { ApiError } from "@/lib/client/request";

/** Ends the session on the server, then shows the sign-in page. */
export async function signOut(): Promise<void> {
  try {
    await authApi.logout();
    window.location.assign("/login");
  } catch (error) {
    showFailure(
      error instanceof ApiError ? `You are still signed in. ${error.message}` : "You are still signed in. Try again.",
    );
  }
}
