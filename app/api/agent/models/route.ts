import { route } from "@/lib/features/accounts/route";
import { listModels } from "@/lib/features/agent/models";
import { modelsAnswer } from "@/lib/features/agent/schema";
import { anyCredential } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List models",
    description: "Those that the settings of this server give: of providers with a key, and of a server of your own.",
    tag: "Agent",
    access: anyCredential,
    response: modelsAnswer,
    handle: () => listModels(),
  }),
});
