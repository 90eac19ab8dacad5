import "server-only";
import { z } from "zod";
import { readConfig } from "../shared/config";
import { jsonPath, resourceShape, resourcesOf, toWebConfig, type WebConfig, webShape } from "../shared/web-config";

/** Placeholder in a parameter or a path for the last cursor value of the previous reading. */
export const CURSOR_MARK = "{{cursor}}";

const TEXT_CHARS_MAX = 2000;
const PAGE_SIZE_MAX = 100_000;

const text = z.string().max(TEXT_CHARS_MAX, "This is too long.");
const param = text.min(1);
const sizes = { sizeParam: param.optional(), size: z.number().int().min(1).max(PAGE_SIZE_MAX).optional() };
const hasMorePath = jsonPath.optional();

const pagination = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("none") }),
    z.strictObject({
      kind: z.literal("page"),
      pageParam: param.default("page"),
      startPage: z.number().int().min(0).default(1),
      totalPagesPath: jsonPath.optional(),
      hasMorePath,
      ...sizes,
    }),
    z.strictObject({
      kind: z.literal("offset"),
      offsetParam: param.default("offset"),
      totalPath: jsonPath.optional(),
      hasMorePath,
      ...sizes,
    }),
    z.strictObject({
      kind: z.literal("cursor"),
      cursorParam: param.default("cursor"),
      cursorPath: jsonPath.optional(),
      lastRecordField: param.optional(),
      hasMorePath,
      ...sizes,
    }),
    z.strictObject({ kind: z.literal("link"), nextPath: jsonPath.optional(), ...sizes }),
  ])
  .superRefine((value, context) => {
    const refuse = (name: string, message: string) => context.addIssue({ code: "custom", path: [name], message });
    if (value.kind === "none") return;
    if (value.kind === "cursor" && (value.cursorPath === undefined) === (value.lastRecordField === undefined)) {
      refuse("cursorPath", "Set the next cursor: a response path, or a field of the last record.");
    }
    if (value.size !== undefined && value.sizeParam === undefined) {
      refuse("sizeParam", "Enter the page size parameter.");
    }
  })
  .default({ kind: "none" });
export type RestPagination = z.output<typeof pagination>;

const resource = z
  .strictObject({
    ...resourceShape,
    /** Relative to the base URL. */
    path: text.regex(/^(?!\/\/)[^\\#\p{Cc}]*$/u, "Enter a path relative to the base URL, such as /orders.").default(""),
    /** Null: the response itself is the list. */
    recordsPath: jsonPath.optional().transform((path) => path ?? null),
    /** The cursor value of the first reading. Absent: its parameters are omitted, too. */
    cursorStart: z.union([text.min(1), z.number()]).optional(),
    params: z
      .record(param, z.union([text, z.number(), z.boolean()], "Must be text, a number or a boolean."))
      .default({}),
  })
  .superRefine(({ path, cursorStart }, context) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
      context.addIssue({
        code: "custom",
        path: ["path"],
        message: "Enter a path relative to the base URL, such as /orders.",
      });
    }
    if (path.includes(CURSOR_MARK) && cursorStart === undefined) {
      const message = `A path with ${CURSOR_MARK} requires cursorStart, its initial value.`;
      context.addIssue({ code: "custom", path: ["cursorStart"], message });
    }
  });

export type RestResource = z.output<typeof resource>;

const fields = z.strictObject({
  baseUrl: text,
  ...webShape,
  resources: resourcesOf(resource),
  pagination,
});
export type RestConfig = { web: WebConfig; resources: RestResource[]; pagination: RestPagination };

/** Parses the config. @throws AppError `invalid_request` */
export function parseRestConfig(config: Record<string, unknown>): RestConfig {
  const { baseUrl, resources, pagination: pages, ...web } = readConfig(fields, config);
  return { web: toWebConfig(baseUrl, "baseUrl", web), resources, pagination: pages };
}
