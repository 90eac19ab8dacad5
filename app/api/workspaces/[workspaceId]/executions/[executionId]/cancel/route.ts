import { route } from "@/lib/features/accounts/route";
import { cancelExecution } from "@/lib/features/query/executions";
import { executionParams } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a query",
    description:
      "Cancels the statement in the database. The waiting request returns 409 cancelled. Members can cancel their own queries, admins all. Returns 404 for finished or inaccessible queries.",
    tag: "Queries",
    access: member,
    isRead: true,
    params: pathIds("workspaceId").extend(executionParams.shape),
    message: "Query cancelled",
    handle: async ({ caller, params: { executionId } }) => {
      await cancelExecution(caller, executionId);
      return null;
    },
  }),
});
