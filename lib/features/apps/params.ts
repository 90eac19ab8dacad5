import { z } from "zod";
import { objectId } from "@/lib/platform/http/ids";
import { appRef } from "./schema";

/** Path parameters of one app. */
export const appParams = z.object({ workspaceId: objectId, appId: appRef });
/** Path parameters of one of its operations. */
export const operationParams = appParams.extend({ operationId: objectId });
