import { writeFileSync } from "node:fs";
import { it } from "vitest";
import { routeModules } from "@/.generated/routes";
import { schemaModules } from "@/.generated/schemas";
import { openApiDocument } from "@/lib/platform/api/openapi";
import { listEndpoints } from "@/lib/platform/api/registry";
it("dumps", () => {
  const doc = openApiDocument(listEndpoints(routeModules), { url: "http://x", version: "0" }, schemaModules);
  writeFileSync(process.env.DUMP_TO ?? "/tmp/openapi.json", JSON.stringify(doc, null, 1));
});
