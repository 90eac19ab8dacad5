import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { objectId } from "@/lib/http/ids";
import { cancelExecution } from "@/lib/query/executions";
import { executionParams } from "@/lib/query/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Cancel a query",
    description: "The statement is ended in the database too; whoever waits for it gets 409 cancelled.",
    tag: "Queries",
    access: member,
    params: z.object({ workspaceId: objectId }).extend(executionParams.shape),
    message: "Query cancelled",
    handle: async ({ params }) => {
      await cancelExecution(params.workspaceId, params.executionId);
      return null;
    },
  }),
});
