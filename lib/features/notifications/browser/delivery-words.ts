import type { Delivery } from "@/lib/features/notifications/schema";

/**
 * Returns advice for a delivery that has not arrived; null for one that has arrived or waits.
 * @param ofChannel advice of its channel; null if the HTTP status decides
 */
export function toDeliveryAdvice(
  { status, httpStatus, lastError }: Pick<Delivery, "status" | "httpStatus" | "lastError">,
  ofChannel: string | null,
): string | null {
  if (status !== "failed" && status !== "retrying") return null;
  const then = status === "retrying" ? "It is retried automatically." : "Then click Resend.";
  if (ofChannel !== null) return `${ofChannel} ${then}`;
  if (httpStatus === null) return `${lastError ?? "No response. Check the URL and that the service is up."} ${then}`;
  if (httpStatus >= 300 && httpStatus < 400) return `The URL redirects. Enter the final URL. ${then}`;
  if (httpStatus === 401 || httpStatus === 403) return `The receiver denied access. Check the URL and its key. ${then}`;
  if (httpStatus === 404 || httpStatus === 410) return `Not found. Check the URL path. ${then}`;
  if (httpStatus >= 500) return `The service is down. ${then}`;
  return `The receiver returned ${httpStatus}. Check what it expects. ${then}`;
}
