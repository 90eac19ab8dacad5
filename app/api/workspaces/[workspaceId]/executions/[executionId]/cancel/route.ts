import { route } from "@/lib/features/accounts/route";
import { cancelExecution } from "@/lib/features/query/executions";
import { executionParams } from "@/lib/features/query/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a query",
    description:
      "The statement is ended in the database too; whoever waits for it gets 409 cancelled. Members cancel their own, admins all; what is over or out of reach is 404.",
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
