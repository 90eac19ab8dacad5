import { z } from "zod";
import { routeModules } from "@/.generated/routes";
import { schemaModules } from "@/.generated/schemas";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";
import { openApiDocument } from "@/lib/platform/api/openapi";
import { listEndpoints } from "@/lib/platform/api/registry";
import { env } from "@/lib/platform/env";
import { version } from "@/package.json";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get the OpenAPI document",
    description: "Returns OpenAPI 3.1, generated from the request validation schemas.",
    tag: "Service",
    access: open,
    worksWithoutStore: true,
    outside: { 200: { "application/json": z.looseObject({ openapi: z.string() }) } },
    handle: () =>
      Response.json(openApiDocument(listEndpoints(routeModules), { url: env().publicUrl, version }, schemaModules)),
  }),
});
