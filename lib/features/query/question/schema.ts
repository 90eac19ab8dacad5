import { z } from "zod";
import {
  FORMULA_SIGNS,
  QUESTION_GRAINS,
  QUESTION_LIMITS,
  QUESTION_OPS,
  type Question,
  SUMMARY_FUNCTIONS,
} from "@/lib/base/questions/question";
import { ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { entityNameSchema } from "@/lib/features/connections/schema";
import { exactNumber } from "@/lib/platform/http/schema";
import { executeAnswer, executeOnBody } from "../schema";

const { joins, pairs, parts, values, columns, nameChars, valueChars, units, rows } = QUESTION_LIMITS;

const name = z.string().min(1, "Name is required.").max(nameChars, "Too long.");
export const questionColumn = z
  .object({
    table: name.optional().describe("Name of a joined table. Absent: the first table, or a formula"),
    column: name,
  })
  .describe("A column of a table, or a formula");
const grain = z.enum(QUESTION_GRAINS);
const text = z
  .string()
  .max(valueChars, "The value is too long.")
  .refine((each) => !each.includes("\0"), "Invalid character.");
const longNumber = exactNumber.pipe(text);
const value = z.union([text, z.number(), z.boolean(), z.null(), longNumber]).meta({
  reference: {
    anyOf: [{ type: "string", maxLength: valueChars }, { type: "number" }, { type: "boolean" }, { type: "null" }],
  },
});
const number = z.union([text, z.number(), longNumber]).meta({
  reference: { anyOf: [{ type: "string", maxLength: valueChars }, { type: "number" }] },
});
const formulaPart = z
  .object({ column: questionColumn.optional(), number: number.optional() })
  .describe("A column of numbers, or a number. A long one can be text");
const atMost = (count: number, what: string) => `At most ${count} ${what}.`;

export const questionSchema = z.object({
  table: entityNameSchema.describe("Name as returned by the list of tables"),
  joins: z
    .array(
      z.object({
        table: entityNameSchema,
        as: name.optional().describe("Unique name of the table in the question. Default: its own"),
        kind: z.enum(["left", "inner"]).default("left"),
        on: z
          .array(z.object({ from: questionColumn, column: name }))
          .min(1, "Choose the columns to join on.")
          .max(pairs, atMost(pairs, "pairs of columns"))
          .describe("`column` of the joined table equals `from`, a column of a table before it"),
      }),
    )
    .max(joins, atMost(joins, "joins"))
    .default([]),
  formulas: z
    .array(z.object({ name, left: formulaPart, sign: z.enum(FORMULA_SIGNS), right: formulaPart }))
    .max(parts, atMost(parts, "formulas"))
    .default([])
    .describe("Columns that are computed from two others. A division by zero is null"),
  filters: z
    .array(
      z.object({
        column: questionColumn,
        op: z
          .enum(QUESTION_OPS)
          .describe("ne, nin and notContains keep rows without a value. Text is found regardless of case"),
        values: z
          .array(value)
          .max(values, atMost(values, "values"))
          .default([])
          .describe("A day is the whole day. A number keeps its digits"),
        count: z
          .int()
          .min(1, "Enter at least 1.")
          .max(units, atMost(units, "units"))
          .optional()
          .describe("Units of last, previous or next"),
        unit: grain.optional().describe("last and next include the present unit, previous does not"),
      }),
    )
    .max(parts, atMost(parts, "filters"))
    .default([])
    .describe("All must hold"),
  summaries: z
    .array(
      z.object({
        function: z.enum(SUMMARY_FUNCTIONS),
        column: questionColumn.optional().describe("Required, except for count"),
        table: name.optional().describe("Table whose rows count counts. Absent: the rows after joining"),
        name: name.optional().describe("Name of the column in the result"),
      }),
    )
    .max(parts, atMost(parts, "summaries"))
    .default([])
    .describe("sum, avg and a count of a table use each of its rows once in a group, even if joins repeat it"),
  groups: z
    .array(
      z.object({
        column: questionColumn,
        grain: grain.optional(),
        bin: z.number().positive("Enter a positive number.").optional().describe("Width of a range of numbers"),
      }),
    )
    .max(parts, atMost(parts, "groups"))
    .default([]),
  columns: z
    .array(questionColumn)
    .max(columns, atMost(columns, "columns"))
    .default([])
    .describe("Columns without summaries and groups. Empty: all"),
  sorts: z
    .array(z.object({ by: name, order: z.enum(["asc", "desc"]).default("asc") }))
    .max(parts, atMost(parts, "columns to sort by"))
    .default([])
    .describe("Columns of the result, empty values last. Default: the groups"),
  limit: z.int().min(1, "limit must be at least 1.").max(rows, `limit must be at most ${rows}.`).optional(),
  timezone: z.string().max(ZONE_CHARS_MAX).default("UTC").describe("Zone of days and of times without an offset"),
}) satisfies z.ZodType<Question>;

/** POST /api/workspaces/{workspaceId}/databases/{id}/question */
export const questionBody = z.object({
  question: questionSchema,
  dryRun: z.boolean().optional().describe("true: returns the statement without running it"),
  limit: executeOnBody.shape.limit,
  timeoutMs: executeOnBody.shape.timeoutMs,
  executionId: executeOnBody.shape.executionId,
});
export type QuestionBody = z.infer<typeof questionBody>;

/** Fields of an answer to a question; a dry run has only the statement. */
export const questionAnswer = executeAnswer.partial().extend({
  sql: z.string().describe("Statement in the connection's language, with its values as literals"),
  dialect: z.string().describe("SQL dialect of the connection, or mongodb"),
  columns: z
    .array(z.object({ name: z.string(), role: z.enum(["group", "summary", "column"]) }))
    .optional()
    .describe("Columns of the result; of a dry run"),
});
export type QuestionAnswer = z.infer<typeof questionAnswer>;
