import { headers } from "next/headers";

/**
 * Runs boot.js on pages where it has not run. Next sends its page for a missing address to be rendered in the browser,
 * where only async scripts run.
 */
export async function LateBoot() {
  return <script async src="/boot.js" nonce={(await headers()).get("x-nonce") ?? undefined} />;
}
