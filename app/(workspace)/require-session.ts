import { redirect } from "next/navigation";
import { getPageSession } from "@/lib/features/accounts/page-session";

/**
 * Sends a visitor without a session to sign in and back to this page. Pages do this rather than their layout, which is
 * not told the whole address.
 * @param path the page's own path
 */
export async function requireSession(path: string): Promise<void> {
  if ((await getPageSession()) === null) redirect(`/login?next=${encodeURIComponent(path)}`);
}
