import "server-only";
import { z } from "zod";
import { objectId } from "@/lib/platform/http/ids";
import { reviewName } from "./schema";

/** Parameters of a review's path. */
export const reviewPath = z.object({ workspaceId: objectId, reviewName });
