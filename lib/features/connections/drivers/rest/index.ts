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
  language: null,
  fields: [
    webFields.address("baseUrl", "Base address", "https://api.example.com/v1"),
    ...webFields.auth,
    webFields.headers,
    {
      name: "resources",
      label: "Resources",
      kind: "json",
      required: false,
      secret: false,
      help: `A list of what can be read. Each has a name and a path; recordsPath says where in the answer the records are, primaryKey and cursorField name fields, and ${CURSOR_MARK} in params stands for the newest cursor that was read.`,
      example: RESOURCES_EXAMPLE,
    },
    {
      name: "pagination.kind",
      label: "Pages",
      kind: "select",
      required: false,
      secret: false,
      default: "none",
      help: "How the service says what comes after the first records.",
      options: [
        { value: "none", label: "All in one answer" },
        { value: "page", label: "By page number" },
        { value: "offset", label: "By offset" },
        { value: "cursor", label: "By cursor" },
        { value: "link", label: "By link to the next page" },
      ],
    },
    page("pageParam", "Page parameter", ["page"], { default: "page", help: "Takes the number of the page." }),
    page("startPage", "First page", ["page"], {
      kind: "number",
      default: 1,
      integer: { min: 0, max: 1_000_000 },
      help: "0 or 1 with most services.",
    }),
    page("offsetParam", "Offset parameter", ["offset"], {
      default: "offset",
      help: "Takes how many records to pass over.",
    }),
    page("cursorParam", "Cursor parameter", ["cursor"], {
      default: "cursor",
      help: "Takes the cursor of the next page.",
    }),
    page("cursorPath", "Next cursor in the answer", ["cursor"], {
      help: "Where it stands. Nothing there is the end.",
      example: "meta.next_cursor",
    }),
    page("lastRecordField", "Or a field of the last record", ["cursor"], {
      help: "Where the service goes on after a record.",
      example: "id",
    }),
    page("nextPath", "Next address in the answer", ["link"], {
      help: "Left out, it is the header Link with rel=next.",
      example: "links.next",
    }),
    page("sizeParam", "Page size parameter", ["page", "offset", "cursor", "link"], {
      help: "Takes the page size. Left out, the service chooses.",
      example: "per_page",
    }),
    page("size", "Page size", ["page", "offset", "cursor", "link"], {
      kind: "number",
      integer: { min: 1, max: 100_000 },
      help: "Fewer, larger pages are quicker; one may have 16 MiB.",
    }),
    page("totalPagesPath", "Number of pages in the answer", ["page"], {
      help: "Left out, an empty page is the end.",
      example: "meta.total_pages",
    }),
    page("totalPath", "Number of records in the answer", ["offset"], {
      help: "Left out, an empty page is the end.",
      example: "meta.total",
    }),
    page("hasMorePath", "Whether there is more", ["page", "offset", "cursor"], {
      help: "A true or false in the answer.",
      example: "has_more",
    }),
    webFields.rateLimit,
  ],
  refusals: {
    ...WEB_REFUSALS,
    baseUrl: "No web address that may be reached",
    resources: "Another form than the help describes",
    pagination: "A setting of another kind of pages, or a path of another form than data.items[0]",
  },
  async check({ config }) {
    await checkWebConfig(parseRestConfig(config).web);
  },
  async open({ config, connectionId }) {
    return new RestSource(parseRestConfig(config), connectionId);
  },
};
