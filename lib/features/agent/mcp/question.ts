import { AppError } from "@/lib/platform/http/errors";
import { PLAN_CHARS_MAX } from "../limits";
import type { Tool } from "../tools/tool";

/** Content of a form that a client shows to its user. */
export type Question = { [name: string]: unknown };

/** An existing item that a call names. */
export type Target = { kind: string; name: string };

/** Matches characters that hide or reorder text, and piles of marks that cover it. JSON's own newlines stay. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{3})\p{M}/gu;

/**
 * Returns the question whether a call may run. It shows the whole input, with hidden characters as JSON escapes.
 * @param options.input as the tool will run it
 * @param options.targets existing items that the input names
 * @throws AppError `too_large` for more than a person reads
 */
export function toQuestion({
  tool,
  input,
  targets = [],
  warning = null,
}: {
  tool: Pick<Tool, "name" | "writes">;
  input: object;
  targets?: readonly Target[];
  warning?: string | null;
}): Question {
  // A long text is refused before its hidden characters are looked for.
  requireShort(JSON.stringify(input));
  const shown = toShown(input);
  requireShort(shown);
  return {
    message: [
      `Allow ${tool.name} in Millrace? Permission: ${tool.writes}, for this call only.`,
      ...targets.map(({ kind, name }) => `${kind}: ${toVisible(JSON.stringify(name))}`),
      ...(warning === null ? [] : [warning]),
      shown,
    ].join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          enum: ["approve", "decline"],
          enumNames: ["Approve", "Decline"],
        },
      },
      required: ["decision"],
    },
  };
}

function requireShort({ length }: string): void {
  if (length <= PLAN_CHARS_MAX) return;
  throw new AppError(
    "too_large",
    `The change is too long to approve in a form: ${length} characters, at most ${PLAN_CHARS_MAX}. Change less, or use the agent in Millrace, whose plan shows it.`,
  );
}

/** Short fields come first: they tell which item changes, and a client may show the beginning only. */
function toShown(input: object): string {
  const lengthOf = (value: unknown) => JSON.stringify(value)?.length ?? 0;
  const fields = Object.entries(input).sort(([, a], [, b]) => lengthOf(a) - lengthOf(b));
  return toVisible(JSON.stringify(Object.fromEntries(fields), null, 2));
}

function toVisible(json: string): string {
  return json.replace(HIDDEN, toEscape);
}

function toEscape(character: string): string {
  const units = Array.from(character.split(""), (unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((hex) => `\\u${hex}`).join("");
}
