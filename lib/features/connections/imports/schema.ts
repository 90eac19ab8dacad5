import { z } from "zod";
import { COLUMNS_MAX } from "@/lib/platform/embedded/import/limits";
import { COLUMN_TYPES, DATE_FORMATS, ENCODINGS, FILE_FORMATS } from "@/lib/platform/embedded/import/messages";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

/** Maximum characters of names of files, columns, sheets and tables. */
const NAME_CHARS_MAX = 200;
const NULL_WORDS_MAX = 50;
const SKIPPED_MAX = 10_000;

/** A name without control characters, which does not start with a space. */
const plainName = z
  .string()
  .refine(
    (text) => text.isWellFormed() && /^[^\p{Cc} \u00a0]\P{Cc}*$/u.test(text),
    "Enter a name without control characters.",
  )
  .refine((text) => text.length <= NAME_CHARS_MAX, `At most ${NAME_CHARS_MAX} characters.`)
  .meta({
    maxLength: NAME_CHARS_MAX,
    pattern: "^[^\\u0000-\\u0020\\u007f-\\u00a0][^\\u0000-\\u001f\\u007f-\\u009f]*$",
  });
const columnType = z.enum(COLUMN_TYPES);

export const importQuery = z.object({ name: plainName });

/** A table's name, unquoted. The address of the table's deletion contains it. */
export const tableName = plainName
  .refine((text) => text !== "." && text !== "..", "Enter a name other than . and ..")
  .meta(plainName.meta() ?? {});

export const importSettings = z.strictObject({
  format: z.enum(FILE_FORMATS).optional(),
  delimiter: z
    .string()
    .regex(/^[\t\x20-\x7e]$/, "Use one ASCII character.")
    .optional(),
  quote: z.enum(['"', "'", ""]).optional(),
  encoding: z.enum(ENCODINGS).optional(),
  header: z.boolean().optional(),
  skip: z.int().min(0).max(SKIPPED_MAX).optional(),
  decimal: z.enum([".", ","]).optional(),
  dateFormat: z.enum(DATE_FORMATS).optional(),
  nullWords: z.array(z.string().max(NAME_CHARS_MAX)).max(NULL_WORDS_MAX).optional(),
  sheet: z.string().max(NAME_CHARS_MAX).optional(),
  columns: z
    .array(
      z.object({
        index: z
          .int()
          .min(0)
          .max(COLUMNS_MAX - 1),
        name: plainName.optional(),
        type: columnType.optional(),
      }),
    )
    .max(COLUMNS_MAX)
    .optional(),
});
export type ImportSettings = z.infer<typeof importSettings>;

export const previewBody = z.object({ settings: importSettings.default({}) });

export const importBody = z.object({
  table: tableName,
  mode: z.enum(["create", "replace", "append"]).default("create"),
  rejected: z.enum(["quarantine", "skip", "stop"]).default("quarantine"),
  settings: importSettings.optional(),
});
export type ImportBody = z.infer<typeof importBody>;

export const uploadedImport = z.object({
  id: objectIdText,
  file: z.string(),
  bytes: z.int(),
  expiresAt: isoDate,
});
export type UploadedImport = z.infer<typeof uploadedImport>;

const correction = z.object({
  kind: z.enum(["type", "dateFormat", "encoding", "quote", "nullWords"]),
  column: z.int().optional(),
  type: columnType.optional(),
  value: z.string().optional(),
  values: z.array(z.string()).optional(),
});
const problem = z.object({
  severity: z.enum(["rejected", "warning"]),
  message: z.string(),
  column: z.int().nullable(),
  line: z.number().nullable(),
  lastLine: z.number().nullable(),
  rows: z.number(),
  text: z.string(),
  correction: correction.nullable(),
});
export type ImportProblem = z.infer<typeof problem>;

export const importPreview = z.object({
  settings: z.object({
    format: z.enum(FILE_FORMATS),
    delimiter: z.string(),
    quote: z.string(),
    encoding: z.enum(ENCODINGS),
    header: z.boolean(),
    skip: z.int(),
    decimal: z.enum([".", ","]),
    dateFormat: z.enum(DATE_FORMATS),
    nullWords: z.array(z.string()),
    sheet: z.string().nullable(),
  }),
  sheets: z.array(z.string()),
  columns: z.array(
    z.object({
      index: z.int(),
      name: z.string(),
      type: columnType,
      precision: z.int(),
      scale: z.int(),
      dbType: z.string(),
    }),
  ),
  preview: z.array(z.object({ line: z.number(), values: z.array(z.string().nullable()) })),
  raw: z.array(z.string()),
  rows: z.int(),
  rejectedRows: z.int(),
  problems: z.array(problem),
});
export type ImportPreview = z.infer<typeof importPreview>;

export const importedTable = z.object({
  connectionId: objectIdText,
  table: z.string(),
  rows: z.int(),
  rejectedRows: z.int(),
  rejectedTable: z.string().nullable(),
});
export type ImportedTable = z.infer<typeof importedTable>;

/** A line of the answer to a client that accepts NDJSON. */
export type ImportLine<T> =
  | { progress: { stage: "queued" | "read" | "check" | "write"; bytes: number; rows: number } }
  | { data: T }
  | { error: { code: string; message: string } };
