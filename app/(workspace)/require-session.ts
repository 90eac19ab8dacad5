import { redirect } from "next/navigation";
import { getPageSession } from "@/lib/features/accounts/page-session";

/**
 * Redirects a visitor without a session to the sign-in page, and back to this page. Pages call this rather than their
 * layout, which does not get the whole address.
 * @param path of the page
 */
export async function requireSession(path: string): Promise<void> {
  if ((await getPageSession()) === null) redirect(`/login?next=${encodeURIComponent(path)}`);
}
