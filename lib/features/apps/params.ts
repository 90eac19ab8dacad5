import { z } from "zod";
import { objectId } from "@/lib/platform/http/ids";
import { appRef } from "./schema";

/** The path of one app. */
export const appParams = z.object({ workspaceId: objectId, appId: appRef });
/** The path of something that was done to it. */
export const operationParams = appParams.extend({ operationId: objectId });
