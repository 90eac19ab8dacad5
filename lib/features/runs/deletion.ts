import "server-only";
import { serverMember } from "@/lib/platform/process/server-context";
import type { RunResource } from "./model";

/**
 * Deletes the documents that depend on a resource with runs. May be called several times for one resource, so it must
 * be idempotent.
 */
export type FollowDeletion = (resource: RunResource) => Promise<void>;

/** Registers the handler of deletions. Set at startup, since dependants of resources with runs are in higher layers. */
export function followDeletionBy(follow: FollowDeletion): void {
  holder().follow = follow;
}

/** Deletes what depends on a resource. Call it after the resource is deleted. */
export const followDeletion: FollowDeletion = async (resource) => {
  await holder().follow?.(resource);
};

const holder = serverMember("runDeletion", () => ({ follow: null }));
