import "server-only";
import { createRoute } from "@/lib/platform/api/route";
import { holdRight } from "./held-rights";
import { identify } from "./identity";

/** Creates a route handler: access, input, envelope and errors of one endpoint (`createRoute`). */
export const route = createRoute({ identify, holdRight });
