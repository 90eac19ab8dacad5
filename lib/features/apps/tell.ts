import "server-only";
import type { ObjectId } from "mongodb";
import { accessOf } from "@/lib/features/folders/model";
import { publish } from "@/lib/platform/events/publish";
import type { AppDoc } from "./model";

type Told = Pick<AppDoc, "_id" | "workspaceId" | "space" | "ownerId">;

/** Tells those who look on that an app has changed: of a private one its owner alone. */
export function tellApp({ _id, workspaceId, space, ownerId }: Told): void {
  const onlyFor = accessOf(space) === "private" ? { onlyFor: ownerId } : {};
  publish({ workspaceId, kind: "app", resourceType: "app", resourceId: _id, ...onlyFor });
}

/** Tells somebody's other tabs that their work on an app has changed. Drafts are nobody else's. */
export function tellWork({ _id, workspaceId }: Told, userId: ObjectId): void {
  publish({ workspaceId, kind: "app", resourceType: "app_work", resourceId: _id, onlyFor: userId });
}
