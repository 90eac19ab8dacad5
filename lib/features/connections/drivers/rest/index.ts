import "server-only";
import type { Driver } from "../../data-source";
import type { ConfigField } from "../../schema";
import { checkWebConfig, WEB_REFUSALS, webFields } from "../shared/web-config";
import { CURSOR_MARK, parseRestConfig } from "./config";
import { RestSource } from "./source";

const RESOURCES_EXAMPLE = JSON.stringify(
  [
    {
      name: "orders",
      path: "/orders",
      recordsPath: "data",
      primaryKey: "id",
      cursorField: "updated_at",
      params: { updated_since: CURSOR_MARK },
    },
  ],
  null,
  2,
);

const page = (
  name: string,
  label: string,
  kinds: string[],
  over: Partial<ConfigField> & Pick<ConfigField, "help">,
): ConfigField => ({
  name: `pagination.${name}`,
  label,
  kind: "text",
  required: false,
  secret: false,
  ...over,
  showWhen: { field: "pagination.kind", oneOf: kinds },
});

/** Services that return their records as JSON. */
export const rest: Driver = {
  type: "rest",
  label: "REST",
  category: "source",
  icon: {
    tile: "#46606B",
    ink: "#FFFFFF",
    paths: [
      "M9 6.5c-2 0-2 1-2 2.5s0 3-2 3c2 0 2 1.5 2 3s0 2.5 2 2.5",
      "M15 6.5c2 0 2 1 2 2.5s0 3 2 3c-2 0-2 1.5-2 3s0 2.5-2 2.5",
    ],
  },
  language: null,
  fields: [
    webFields.address("baseUrl", "Base URL", "https://api.example.com/v1"),
    ...webFields.auth,
    webFields.headers,
    {
      name: "resources",
      label: "Resources",
      kind: "json",
      required: false,
      secret: false,
      help: `JSON list of resources with name and path. Optional: recordsPath, primaryKey, cursorField. ${CURSOR_MARK} in params is the last cursor value.`,
      example: RESOURCES_EXAMPLE,
    },
    {
      name: "pagination.kind",
      label: "Pagination",
      kind: "select",
      required: false,
      secret: false,
      default: "none",
      options: [
        { value: "none", label: "None" },
        { value: "page", label: "Page number" },
        { value: "offset", label: "Offset" },
        { value: "cursor", label: "Cursor" },
        { value: "link", label: "Next-page link" },
      ],
    },
    page("pageParam", "Page parameter", ["page"], { default: "page", help: "Query parameter for the page number." }),
    page("startPage", "First page", ["page"], {
      kind: "number",
      default: 1,
      integer: { min: 0, max: 1_000_000 },
      help: "Usually 0 or 1.",
    }),
    page("offsetParam", "Offset parameter", ["offset"], {
      default: "offset",
      help: "Query parameter for the number of records to skip.",
    }),
    page("cursorParam", "Cursor parameter", ["cursor"], {
      default: "cursor",
      help: "Query parameter for the cursor.",
    }),
    page("cursorPath", "Next cursor path", ["cursor"], {
      help: "Response path. An empty value ends pagination.",
      example: "meta.next_cursor",
    }),
    page("lastRecordField", "Last record field", ["cursor"], {
      help: "Uses this field of the last record as the cursor.",
      example: "id",
    }),
    page("nextPath", "Next URL path", ["link"], {
      help: "Defaults to the Link header with rel=next.",
      example: "links.next",
    }),
    page("sizeParam", "Page size parameter", ["page", "offset", "cursor", "link"], {
      help: "Leave empty to use the API's default.",
      example: "per_page",
    }),
    page("size", "Page size", ["page", "offset", "cursor", "link"], {
      kind: "number",
      integer: { min: 1, max: 100_000 },
      help: "Larger pages are faster. Limit: 16 MiB per page.",
    }),
    page("totalPagesPath", "Total pages path", ["page"], {
      help: "Without it, an empty page ends pagination.",
      example: "meta.total_pages",
    }),
    page("totalPath", "Total records path", ["offset"], {
      help: "Without it, an empty page ends pagination.",
      example: "meta.total",
    }),
    page("hasMorePath", "Has-more path", ["page", "offset", "cursor"], {
      help: "Response path of a boolean.",
      example: "has_more",
    }),
    webFields.rateLimit,
  ],
  refusals: {
    ...WEB_REFUSALS,
    baseUrl: "Invalid or blocked URL",
    resources: "Invalid format",
    pagination: "A setting of another pagination type, or an invalid path",
  },
  async check({ config }) {
    await checkWebConfig(parseRestConfig(config).web);
  },
  async open({ config, connectionId }) {
    return new RestSource(parseRestConfig(config), connectionId);
  },
};
