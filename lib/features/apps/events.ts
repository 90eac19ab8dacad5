import "server-only";
import type { ObjectId } from "mongodb";
import { accessOf } from "@/lib/features/folders/model";
import { publish } from "@/lib/platform/events/publish";
import type { AppDoc } from "./model";

type Told = Pick<AppDoc, "_id" | "workspaceId" | "space" | "ownerId">;

/** Notifies viewers that an app has changed; for a private app, only its owner. */
export function publishAppEvent({ _id, workspaceId, space, ownerId }: Told): void {
  const onlyFor = accessOf(space) === "private" ? { onlyFor: ownerId } : {};
  publish({ workspaceId, kind: "app", resourceType: "app", resourceId: _id, ...onlyFor });
}

/** Notifies the user's other tabs that their work on an app has changed. Drafts are private. */
export function publishWorkEvent({ _id, workspaceId }: Told, userId: ObjectId): void {
  publish({ workspaceId, kind: "app", resourceType: "app_work", resourceId: _id, onlyFor: userId });
}
