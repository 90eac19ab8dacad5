import { showFailure } from "@/components/ui/toast";
import { ApiError, api } from "@/lib/client/api";

/** Ends the session on the server, then shows the sign-in page. */
export async function signOut(): Promise<void> {
  try {
    await api.logout();
    window.location.assign("/login");
  } catch (error) {
    showFailure(
      error instanceof ApiError ? `You are still signed in. ${error.message}` : "You are still signed in. Try again.",
    );
  }
}
