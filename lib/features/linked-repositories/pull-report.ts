import type { CommitStatus } from "./github";
import type { PullFile, RepoPullDoc } from "./model";

/** Starts our comment, so that it is found again. */
export const COMMENT_MARK = "<!-- millrace -->";
/** The host's limit for the description of a status. */
const DESCRIPTION_CHARS_MAX = 140;
/** Rows of the table: far below the host's limit of 65,536 characters for a comment. */
const ROWS_MAX = 100;
const ROWS_COMPARED = "1,000";
const UNTRUSTED = "Only pull requests of people with write access are checked.";

type Report = Pick<RepoPullDoc, "state" | "fault" | "files">;

/** Returns the commit status of a pull request's head. */
export function statusOf(report: Report): Omit<CommitStatus, "target_url"> {
  const text = report.fault ?? (report.state === "pending" ? UNTRUSTED : summaryOf(report.files));
  const isLong = text.length > DESCRIPTION_CHARS_MAX;
  const description = isLong ? `${text.slice(0, DESCRIPTION_CHARS_MAX - 1)}…` : text;
  return { state: report.state, context: "Millrace", description };
}

/**
 * Returns the comment of a pull request: the changed files, and numbers of rows that members have published. It has no
 * values of rows, and no error of a database, which may contain some.
 * @returns null for a pull request without one
 */
export function commentOf(
  { state, fault, files, reviewSha }: Report & Pick<RepoPullDoc, "reviewSha">,
  reviewUrl: string,
): string | null {
  if (fault !== null) return `${COMMENT_MARK}\n**Millrace**: this change is rejected.\n\n${code(fault)}\n`;
  if (state === "pending" || files.length === 0) return null;
  const link = reviewSha === null ? "" : ` [Open the review](${reviewUrl})`;
  const rows = files.flatMap(toRows);
  const shown = rows.slice(0, ROWS_MAX);
  const lines = [
    COMMENT_MARK,
    `**Millrace**: ${summaryOf(files)}.${link}`,
    "",
    "| File | Change | Rows added | removed | changed |",
    "|---|---|---:|---:|---:|",
    ...shown,
    ...(rows.length > shown.length ? ["", `${rows.length - shown.length} more are not shown.`] : []),
    "",
    `Members compare the results in the review. The first ${ROWS_COMPARED} rows of each version count.`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns what changes, such as "3 consoles and 1 dashboard change". */
export function summaryOf(files: readonly Pick<PullFile, "kind">[]): string {
  const count = (kind: PullFile["kind"], noun: string) => {
    const number = files.filter((file) => file.kind === kind).length;
    return number === 0 ? [] : [`${number} ${noun}${number === 1 ? "" : "s"}`];
  };
  const parts = [...count("console", "console"), ...count("dashboard", "dashboard"), ...count("other", "other file")];
  if (parts.length === 0) return "No files of the workspace change";
  const last = parts.pop();
  return `${parts.length > 0 ? `${parts.join(", ")} and ` : ""}${last} ${files.length === 1 ? "changes" : "change"}`;
}

function toRows({ path, status, kind, numbers }: PullFile): string[] {
  const row = (name: string, cells: readonly string[]) => `| ${name} | ${status} | ${cells.join(" | ")} |`;
  if (numbers === null) return [row(code(path), kind === "other" ? ["", "", ""] : ["not compared", "", ""])];
  if (numbers.length === 0) return [row(code(path), ["0", "0", "0"])];
  return numbers.map(({ title, added, removed, changed, isFailed, isPartial }) => {
    const name = kind === "dashboard" ? `${code(path)}: ${code(title)}` : code(path);
    const plus = isPartial ? "+" : "";
    return row(name, isFailed ? ["failed", "", ""] : [added, removed, changed].map((n) => `${n}${plus}`));
  });
}

/** Returns text as code of Markdown in which nothing has a meaning: no link, no mention, no end of a cell. */
function code(text: string): string {
  const plain = text.replace(/\s+/g, " ").replace(/[^\p{L}\p{N} ./_,:;()-]/gu, (c) => `&#${c.codePointAt(0)};`);
  return `<code>${plain}</code>`;
}
