import { headers } from "next/headers";

/**
 * Runs boot.js where nothing has: Next sends what is not there as a page that the browser draws by itself, and of the scripts
 * that are drawn those alone run that wait for nothing.
 */
export async function LateBoot() {
  return <script async src="/boot.js" nonce={(await headers()).get("x-nonce") ?? undefined} />;
}
