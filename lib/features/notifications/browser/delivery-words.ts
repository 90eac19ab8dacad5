import type { Delivery } from "@/lib/features/notifications/schema";

/** Returns advice for a delivery that has not arrived; null for one that has arrived or waits. */
export function toDeliveryAdvice({
  status,
  channelType,
  httpStatus,
  lastError,
}: Pick<Delivery, "status" | "channelType" | "httpStatus" | "lastError">): string | null {
  if (status !== "failed" && status !== "retrying") return null;
  const then = status === "retrying" ? "It is tried again by itself." : "Then press Send again.";
  if (channelType === "email") return `The mail service did not take it. Check the addresses and the service. ${then}`;
  if (httpStatus === null)
    return `${lastError ?? "Nothing answered. Check the address, and that its service is up."} ${then}`;
  if (httpStatus >= 300 && httpStatus < 400)
    return `It was sent on to another address, which we do not follow. Put in that one. ${then}`;
  if (httpStatus === 401 || httpStatus === 403)
    return `The receiver did not let us in. Check the address and its key. ${then}`;
  if (httpStatus === 404 || httpStatus === 410) return `There is nothing at this address. Check its path. ${then}`;
  if (httpStatus >= 500) return `The address is right, the service behind it is down. ${then}`;
  return `The receiver refused it with ${httpStatus}. Check what it expects. ${then}`;
}
