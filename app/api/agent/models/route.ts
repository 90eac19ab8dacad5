import { anyCredential } from "@/lib/access/rules";
import { listModels } from "@/lib/agent/models";
import { modelsAnswer } from "@/lib/agent/schema";
import { route } from "@/lib/api/route";

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
