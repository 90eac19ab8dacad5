import { type Document, isMap, isNode, isScalar, visit } from "yaml";
import { z } from "zod";
import { ExactNumber, isRounded } from "@/lib/base/values/exact-json";
import { ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { readYaml } from "@/lib/base/yaml/read-yaml";
import { BadSchedule, CronSchedule } from "@/lib/features/runs/schedules/cron";
import {
  BINDING_BYTES_MAX,
  BINDING_NAME_CHARS_MAX,
  BINDING_PARAMS_MAX,
  BINDINGS_MAX,
  FRONT_MATTER_BYTES_MAX,
} from "./limits";

/* Format of a file in `bindings/` (docs/user/writing-apps.md). */

const FOLDER = "bindings/";
const ENDING = ".sql";
/** Names appear in addresses and in the app's code, and must mean one file on any computer. */
const NAME = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,${BINDING_NAME_CHARS_MAX - 1}}$`);
const KIB = 1024;

const param = z.union(
  [z.string(), z.number(), z.instanceof(ExactNumber).meta({ reference: { type: "number" } }), z.boolean(), z.null()],
  "Values must be text, numbers, booleans or null.",
);
const cron = z.string('Quote the cron expression, as "0 6 * * *".').max(200, "The cron expression is too long.");
const SCHEDULE_WORDS = 'Use a quoted cron expression such as "0 6 * * *", or {cron, timezone}.';

export const frontMatterSchema = z.strictObject({
  connectionId: z
    .string("Add connectionId: <ID>.")
    .regex(/^[0-9a-f]{24}$/i, "connectionId must have 24 hexadecimal digits."),
  schedule: z
    .union(
      [cron, z.strictObject({ cron, timezone: z.string().max(ZONE_CHARS_MAX).optional() }), z.null()],
      SCHEDULE_WORDS,
    )
    .optional(),
  params: z
    .union(
      [z.array(param).max(BINDING_PARAMS_MAX), z.record(z.string(), param)],
      "params must be a list or a map of text, numbers, booleans or null.",
    )
    .refine((params) => Object.keys(params).length <= BINDING_PARAMS_MAX, `At most ${BINDING_PARAMS_MAX} values.`)
    .nullish(),
  acceptTruncated: z.boolean("Must be true or false.").optional(),
  description: z.string("description must be text.").max(2_000, "At most 2,000 characters.").nullish(),
});
export type FrontMatter = z.infer<typeof frontMatterSchema>;

/** A valid binding. */
export type Binding = {
  name: string;
  path: string;
  frontMatter: FrontMatter;
  schedule: { cron: string; timezone: string } | null;
  sql: string;
};
/** An invalid binding. `line` is 1-based; null if no single line is the cause. */
export type BrokenBinding = { name: string; path: string; frontMatter: null; error: string; line: number | null };

/** Returns the bindings among an app's files, sorted by path. Null contents are files too large to read. */
export function readBindings(files: ReadonlyMap<string, Uint8Array | null>): (Binding | BrokenBinding)[] {
  const paths = [...files.keys()].filter(isBindingPath).sort();
  return paths.map((path, index) =>
    index < BINDINGS_MAX
      ? parseBinding(path, files.get(path) ?? null)
      : broken(path, `Limit of ${BINDINGS_MAX} bindings reached. Combine some of them.`),
  );
}

export function isBroken(binding: Binding | BrokenBinding): binding is BrokenBinding {
  return "error" in binding;
}

/** Returns whether a path in an app's folder is that of a binding, valid or not. */
export function isBindingPath(path: string): boolean {
  return path.startsWith(FOLDER) && path.endsWith(ENDING);
}

export function bindingPath(name: string): string {
  return `${FOLDER}${name}${ENDING}`;
}

/** Parses a file: YAML front matter between lines of three dashes, followed by the statement. */
export function parseBinding(path: string, content: Uint8Array | null): Binding | BrokenBinding {
  const name = nameIn(path);
  if (!NAME.test(name)) {
    return broken(
      path,
      "A binding must be a file directly in bindings/. Its name can contain letters, digits, - and _.",
    );
  }
  if (content === null || content.length > BINDING_BYTES_MAX) {
    return broken(path, `Bindings are limited to ${BINDING_BYTES_MAX / KIB} KiB.`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return broken(path, "The file is not valid UTF-8.");
  }
  if (text.includes("\0")) return broken(path, "The file contains a NUL character. Remove it.");
  const parts = /^---[ \t]*\r?\n(?<yaml>(?:.*\r?\n)*?)---[ \t]*(?:\r?\n(?<sql>[\s\S]*))?$/.exec(text);
  if (!parts?.groups) {
    return broken(path, "Start the file with front matter: ---, connectionId: <ID>, ---.", 1);
  }
  const { yaml = "", sql = "" } = parts.groups;
  if (yaml.length > FRONT_MATTER_BYTES_MAX) {
    return broken(path, `The front matter is limited to ${FRONT_MATTER_BYTES_MAX / KIB} KiB.`);
  }
  const read = readYaml(yaml, frontMatterSchema, { prepare: keepDigits, notAMap: "Add connectionId: <ID>." });
  // The first line of the front matter is the second of the file.
  if ("error" in read) return broken(path, read.error, read.line === null ? null : read.line + 1);
  if (sql.trim() === "") return broken(path, "Add a statement below the front matter.");
  const { value: frontMatter } = read;
  const { schedule } = frontMatter;
  try {
    return { name, path, frontMatter, schedule: toSchedule(schedule ?? null), sql };
  } catch (error) {
    if (error instanceof BadSchedule) return broken(path, `schedule: ${error.message}`);
    throw error;
  }
}

/**
 * Keeps the digits of numbers. A connection id may look like a number, or like one with an exponent; it stays text. A
 * value of `params` that no double represents becomes an `ExactNumber`.
 */
function keepDigits({ contents }: Document.Parsed): void {
  if (!isMap(contents)) return;
  const node = contents.get("connectionId", true);
  if (isScalar(node) && typeof node.value === "number" && node.source !== undefined) node.value = node.source as never;
  const params = contents.get("params", true);
  if (!isNode(params)) return;
  visit(params, {
    Scalar: (key, scalar) => {
      if (key === "key" || typeof scalar.value !== "number" || scalar.source === undefined) return;
      const source = toJsonNumber(scalar.source);
      if (source !== null && isRounded(source, scalar.value)) scalar.value = new ExactNumber(source);
    },
  });
}

/** Returns a number of YAML's core schema as JSON writes it; null for infinity and NaN. */
function toJsonNumber(source: string): string | null {
  if (/^0[xo]/.test(source)) return String(BigInt(source));
  const [, sign, whole = "", fraction = "", exponent = ""] =
    /^([-+]?)0*(\d*)(?:\.(\d*))?([eE][-+]?\d+)?$/.exec(source) ?? [];
  if (sign === undefined) return null;
  return `${sign === "-" ? "-" : ""}${whole || "0"}${fraction && `.${fraction}`}${exponent}`;
}

function toSchedule(schedule: NonNullable<FrontMatter["schedule"]> | null): Binding["schedule"] {
  if (schedule === null) return null;
  const { cron, timezone = "UTC" } = typeof schedule === "string" ? { cron: schedule } : schedule;
  const read = new CronSchedule(cron, timezone);
  return { cron: read.cron, timezone: read.timezone };
}

function broken(path: string, error: string, line: number | null = null): BrokenBinding {
  return { name: nameIn(path), path, frontMatter: null, error, line };
}

function nameIn(path: string): string {
  return path.slice(FOLDER.length, -ENDING.length);
}
