import "server-only";
import { z } from "zod";
import { readConfig } from "../shared/config";
import { jsonPath, resourceShape, resourcesOf, toWebConfig, type WebConfig, webShape } from "../shared/web-config";
import { isReadingQuery } from "./reading-query";

/** A variable with this value gets the last cursor value of the previous reading. */
export const CURSOR_MARK = "{{cursor}}";

const ADDRESS_CHARS_MAX = 2000;
const QUERY_CHARS_MAX = 20_000;

const resource = z.strictObject({
  ...resourceShape,
  query: z
    .string()
    .min(1, "Enter a query.")
    .max(QUERY_CHARS_MAX, "This is too long.")
    .refine(isReadingQuery, "Enter one query, with fragments if needed. Mutations are not allowed."),
  /** The path of the list or connection within `data`. */
  path: jsonPath.refine((path) => path.length > 0, "Enter the path of the list, such as orders."),
  variables: z.record(z.string(), z.json()).default({}),
  /** The variable that takes the cursor of the next page. */
  afterVariable: z
    .string()
    .regex(/^[_A-Za-z][_0-9A-Za-z]{0,99}$/, "Enter a variable name.")
    .default("after"),
  /** The cursor value of the first reading. Absent: its variables are omitted, too. */
  cursorStart: z.union([z.string().min(1).max(ADDRESS_CHARS_MAX), z.number()]).optional(),
});
export type GraphqlResource = z.output<typeof resource>;

const fields = z.strictObject({
  endpoint: z.string().max(ADDRESS_CHARS_MAX, "This is too long."),
  ...webShape,
  resources: resourcesOf(resource),
});
export type GraphqlConfig = { web: WebConfig; resources: GraphqlResource[] };

/** Parses the config. @throws AppError `invalid_request` */
export function parseGraphqlConfig(config: Record<string, unknown>): GraphqlConfig {
  const { endpoint, resources, ...web } = readConfig(fields, config);
  return { web: toWebConfig(endpoint, "endpoint", web), resources };
}
