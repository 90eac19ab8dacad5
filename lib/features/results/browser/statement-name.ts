import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { readScope } from "@/lib/base/sql/scope";
import type { SqlStatement } from "@/lib/base/sql/statements";

/** Maximum length of a name, enough to tell statements apart. */
const NAME_CHARS_MAX = 28;
/** Part of a statement in which its table is looked for: longer ones are mostly values. */
const READ_CHARS_MAX = 4000;
const COMMENT = /^(?:--|\/\/|#)[ \t]*(?<words>.*)$/;
const COLLECTION = /^db\.(?:getCollection\(\s*["'](?<quoted>[^"']+)["']\s*\)|(?<plain>[\w$-]+))\./;

/**
 * Returns the name of a statement's result: the comment lines before it, its first table, or its first words.
 * @param content text in which the statement is, at its offsets
 */
export function nameStatement(content: string, { from, text }: SqlStatement, dialect: SqlDialect): string {
  return shorten(commentBefore(content, from) ?? tableOf(text.slice(0, READ_CHARS_MAX), dialect) ?? text);
}

/** Returns the first line of the comment that ends on the line before an offset. */
function commentBefore(content: string, from: number): string | null {
  const lines = content.slice(0, from).split(/\r?\n/);
  if (lines.pop()?.trim() !== "") return null;
  let name: string | null = null;
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
    const words = COMMENT.exec(line.trim())?.groups?.words;
    if (words === undefined) break;
    // A line of dashes only separates.
    if (/\w/u.test(words)) name = words;
  }
  return name;
}

function tableOf(text: string, dialect: SqlDialect): string | null {
  const { quoted, plain } = COLLECTION.exec(text)?.groups ?? {};
  if (quoted ?? plain) return quoted ?? plain ?? null;
  const { tables, ctes } = readScope(text, dialect);
  return tables.find(({ name }) => !ctes.some((cte) => cte.name === name))?.name ?? null;
}

function shorten(name: string): string {
  const line = name.replace(/\s+/g, " ").trim();
  return line.length <= NAME_CHARS_MAX ? line : `${line.slice(0, NAME_CHARS_MAX).trimEnd()}...`;
}
