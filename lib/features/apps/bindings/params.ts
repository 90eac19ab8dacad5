import { z } from "zod";
import { objectId } from "@/lib/platform/http/ids";
import { appRef } from "../schema";
import { bindingName } from "./schema";

/** Path parameters of one binding. */
export const bindingParams = z.object({ workspaceId: objectId, appId: appRef, bindingName });
