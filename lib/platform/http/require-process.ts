import "server-only";
import { env } from "@/lib/platform/env";
import { AppError } from "./errors";

/**
 * Rejects a feature that needs a child process on a platform without long-lived ones.
 * @param feature the subject of the message, in the plural
 * @throws AppError `not_allowed` on Vercel
 */
export function requireProcess(feature: string): void {
  if (env().isVercel) throw new AppError("not_allowed", processRequired(feature));
}

/** Returns the message for a feature that needs a child process. @param feature the subject, in the plural */
export function processRequired(feature: string): string {
  return `${feature} require persistent processes, which Vercel does not have. See docs/operate/scale.md.`;
}
