import { z } from "zod";
import { questionSchema } from "@/lib/features/query/question/schema";
import { typedValue, variableName } from "@/lib/features/query/schema";
import { boundedText, isShortJson, isStorable, objectIdText, STORABLE } from "@/lib/platform/http/schema";

/** A paragraph; longer texts belong in a comment of the query. */
const DESCRIPTION_CHARS_MAX = 1_000;
/** Room for long lists in a value, such as a JSON text. */
const VARIABLES_CHARS_MAX = 16 * 1024;
/** Far above any result that a run can read in its time. */
const ROWS_MAX = 1_000_000_000;

export const description = boundedText(
  DESCRIPTION_CHARS_MAX,
  `Descriptions are limited to ${DESCRIPTION_CHARS_MAX} characters.`,
)
  .refine(isStorable, "The description contains an invalid character.")
  .meta(STORABLE);

const number = z
  .number()
  .refine(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
    'The number has too many digits. Use {type: "number", value: "..."}.',
  );
const defaultValue = z.union(
  [z.string(), number, z.boolean(), ...typedValue.options],
  "Use a text, a number, true, false, or {type, value}.",
);
export type DefaultValue = z.infer<typeof defaultValue>;

/** Default values of a console's variables. */
export const variableDefaults = z
  .record(variableName, defaultValue)
  .refine(
    (value) => isShortJson(value, VARIABLES_CHARS_MAX),
    `Default values are limited to ${VARIABLES_CHARS_MAX / 1024} KiB of JSON.`,
  )
  .describe("Default value for each {{name}}: text, number, boolean or {type, value}");
export type VariableDefaults = z.infer<typeof variableDefaults>;

/** More variables with lists than any query has. */
const CHOICES_MAX = 20;
const COLUMN_CHARS_MAX = 500;

/** Sources of the lists that a person chooses a variable's value from. */
export const variableChoices = z
  .record(
    variableName,
    z.strictObject(
      {
        consoleId: objectIdText,
        column: boundedText(COLUMN_CHARS_MAX).optional().describe("Column with the values. Default: the first"),
      },
      "Use consoleId and column.",
    ),
  )
  .refine((value) => Object.keys(value).length <= CHOICES_MAX, `At most ${CHOICES_MAX} variables can have a list.`)
  .describe("Saved console whose first 1,000 rows are the choices for {{name}}, run as the person who chooses");
export type VariableChoices = z.infer<typeof variableChoices>;

const rows = z.int("Use a whole number.").min(0, "Must be at least 0.").max(ROWS_MAX, `Must be at most ${ROWS_MAX}.`);
/** Conditions on the result of background runs. */
export const expectation = z
  .strictObject({ minRows: rows.optional(), maxRows: rows.optional() }, "Use minRows and maxRows.")
  .refine(({ minRows = 0, maxRows = ROWS_MAX }) => minRows <= maxRows, {
    path: ["maxRows"],
    message: "The maximum must not be less than the minimum.",
  })
  .describe("Number of rows that background runs must return. Other results fail the run");
export type Expectation = z.infer<typeof expectation>;

/** Room for lists of values; front matter is read as a whole. */
const QUESTION_CHARS_MAX = 32 * 1024;
/** Maximum levels of a question of any version. This version has six. */
const QUESTION_LEVELS_MAX = 20;
const isShortQuestion = (value: unknown) => isShortJson(value, QUESTION_CHARS_MAX);
const tooLong = `Questions of consoles are limited to ${QUESTION_CHARS_MAX / 1024} KiB of JSON.`;

/** Question that a console is saved with. */
export const consoleQuestion = questionSchema
  .refine(isShortQuestion, tooLong)
  .describe("Question that the query comes from. The question builder opens it");

/** Question in a console's file. It may be of another version, so its parts are not checked. */
export const fileQuestion = z
  .record(z.string(), z.unknown(), "Use the question as Millrace saved it.")
  .refine(isShortQuestion, tooLong)
  .refine((value) => !isDeeper(value, QUESTION_LEVELS_MAX), `At most ${QUESTION_LEVELS_MAX} levels.`);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

export const savedQuestion = questionSchema.extend({
  isCurrent: z.boolean().describe("False if the query or the question was changed without the other"),
});
export type SavedQuestion = z.infer<typeof savedQuestion>;
