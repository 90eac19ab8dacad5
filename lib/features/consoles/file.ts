import { stringify } from "yaml";
import { z } from "zod";
import { findSpecProblems } from "@/lib/base/charts/spec-rules";
import { ZONE_CHARS_MAX } from "@/lib/base/values/names";
import { readYaml, type YamlError } from "@/lib/base/yaml/read-yaml";
import { BadSchedule, CronSchedule } from "@/lib/features/runs/schedules/cron";
import { createConsoleBody } from "./schema";
import { description, expectation, fileQuestion, variableChoices, variableDefaults } from "./settings-schema";

/* Format of a console's file: its settings as YAML in a leading comment, followed by its text. */

/** Room for the largest chart and question. */
const FRONT_MATTER_BYTES_MAX = 192 * 1024;
const KIB = 1024;
const FRONT_MATTER = /^\/\*[ \t]*---[ \t]*\r?\n(?<yaml>(?:.*\r?\n)*?)---[ \t]*\*\/[ \t]*(?:\r?\n|$)/;
/** A text that starts like this would be read as front matter. */
const OPENING = /^\/\*[ \t]*---[ \t]*\r?\n/;

export const consoleSettings = z.strictObject({
  connection: z.string("Use the name of a connection.").nullish(),
  description: description.nullish(),
  variables: variableDefaults.nullish(),
  choices: variableChoices.nullish(),
  schedule: z
    .strictObject(
      {
        cron: z.string('Quote the cron expression, as "0 6 * * *".').max(200, "The cron expression is too long."),
        timezone: z.string("Use a time zone such as Europe/Vienna.").max(ZONE_CHARS_MAX).default("UTC"),
        enabled: z.boolean("Must be true or false.").default(true),
      },
      "Use cron, timezone and enabled.",
    )
    .nullish(),
  expect: expectation.nullish(),
  chart: createConsoleBody.shape.chart,
  question: fileQuestion.nullish(),
});
export type ConsoleSettings = z.infer<typeof consoleSettings>;

export type ConsoleFile = { settings: ConsoleSettings; content: string };

/** Parses a file. One without front matter has no settings. */
export function parseConsoleFile(text: string): ConsoleFile | YamlError {
  const found = FRONT_MATTER.exec(text);
  if (!found) {
    if (OPENING.test(text)) return { error: "The front matter does not end. Add a line with --- */.", line: 1 };
    return { settings: {}, content: text };
  }
  const content = text.slice(found[0].length);
  const { yaml = "" } = found.groups ?? {};
  if (yaml.trim() === "") return { settings: {}, content };
  if (yaml.length > FRONT_MATTER_BYTES_MAX) {
    return { error: `The front matter is limited to ${FRONT_MATTER_BYTES_MAX / KIB} KiB.`, line: 1 };
  }
  const read = readYaml(yaml, consoleSettings, { notAMap: "Use keys such as connection: <name>." });
  // The first line of the front matter is the second of the file.
  if ("error" in read) return { ...read, line: read.line === null ? null : read.line + 1 };
  const error = findError(read.value);
  return error === null ? { settings: read.value, content } : { error, line: null };
}

/** Returns the text of a file that may have been written before its format was checked: all of it if it is invalid. */
export function contentOfFile(text: string): string {
  const file = parseConsoleFile(text);
  return "error" in file ? text : file.content;
}

/** Returns the text of a file. A console without settings has no front matter. */
export function formatConsoleFile({ settings, content }: ConsoleFile): string {
  const given = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null && value !== undefined),
  );
  if (Object.keys(given).length === 0 && !OPENING.test(content)) return content;
  return `/* ---\n${toYaml(given)}--- */\n${content}`;
}

function toYaml(settings: object): string {
  if (Object.keys(settings).length === 0) return "";
  const yaml = stringify(settings, { lineWidth: 0 });
  const isTooLong = yaml.length > FRONT_MATTER_BYTES_MAX;
  if (!isTooLong && !yaml.includes("*/") && !/^---/m.test(yaml)) return yaml;
  // Neither may end the comment; JSON is YAML, too, and can escape the slash. The limits of settings are those of JSON
  // without indentation.
  return `${JSON.stringify(settings, null, isTooLong ? 0 : 2).replaceAll("*/", "*\\/")}\n`;
}

function findError({ schedule, chart }: ConsoleSettings): string | null {
  try {
    if (schedule) new CronSchedule(schedule.cron, schedule.timezone);
  } catch (error) {
    if (error instanceof BadSchedule) return `schedule: ${error.message}`;
    throw error;
  }
  const [problem] = chart ? findSpecProblems(chart) : [];
  return problem ? `chart${problem.path === "" ? "" : `.${problem.path}`}: ${problem.message}` : null;
}
