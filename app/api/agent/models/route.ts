import { route } from "@/lib/features/accounts/route";
import { listModels } from "@/lib/features/agent/models";
import { modelsAnswer } from "@/lib/features/agent/schema";
import { anyCredential } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List models",
    description: "Returns the models of configured providers and self-hosted servers.",
    tag: "Agent",
    access: anyCredential,
    response: modelsAnswer,
    handle: () => listModels(),
  }),
});
