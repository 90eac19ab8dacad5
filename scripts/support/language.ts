import { globSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

export type LanguageProblem = { line: number; found: string; advice: string };

/** Folders and files that are checked: code, pages of docs and styles. */
const CHECKED = [
  "{app,bench,components,deploy,docs,e2e,emails,inngest,lib,scripts,templates,test}/**/*.{ts,tsx,mts,mjs,md,css}",
  "*.{ts,mjs,md}",
];
/** Generated files, lists of words from questions, and this list itself. */
const EXCLUDED = [
  /\.generated\.|^next-env/,
  /^lib\/features\/agent\/offline\/(?:words\.ts|reading\/)/,
  /^test\/fixtures\/agent\/questions\//,
  /^scripts\/(?:support\/language|language\.test)\.ts$/,
];

/** Phrases that are not the field's, each with its replacement. Docs, comments and texts are checked for them. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, "again"],
  [/\b(?:by itself|in motion|under way)\b/i, "automatically, running"],
  [/\bof (?:its|their|your|one's|his|our) own\b/i, "its own X, a separate X"],
  [
    /\b(?:is not there|there is no such|is there (?:anyway|already|by|twice)|there twice)\b/i,
    "not found, already exists",
  ],
  [/\bwhen left out\b/i, "Default: X. Leave empty for Y."],
  [
    /\b(?:it stands|stands (?:on|in|beside|there)|lies (?:on|in|beside|over) (?:the|its|it))\b/i,
    "is, appears, is stored",
  ],
  [/\bmend(?:s|ed)?\b/i, "fix"],
  [
    /\b(?:meanwhile|once more|upwards|of now|at the most|as it is|as they are|by hand)\b/i,
    "drop it, or name the state",
  ],
  [/\bgoes on\b/i, "continues, resumes"],
  [/\bno more\b(?! than)/i, "no longer"],
  [/\b(?:somebody|nobody|whoever|whatever)\b/i, "the role, or someone, no one, everyone"],
  [
    /\b(?:tells? (?:people|of)|is said where|left out of account|reason of ours|looked for there)\b/i,
    "notify, is defined, ignored",
  ],
  [/\bholds? good\b/i, "applies"],
  [/\btakes? (?:its|their) turn\b/i, "is queued"],
  [/\bcarr(?:y|ied|ies) out\b/i, "run, apply"],
  [/\bthis is no\b|\bis no (?:number|text|address|file|json|date|list|value)\b/i, "is not a X, Invalid X"],
  [/\bReading the\b/, "Loading X"],
  [/\bsealed\b/i, "encrypted"],
];
/** Start of a doc comment without a head: a third-person verb or a noun is expected. */
const HEADLESS = /^(?:What|Whatever|Who|Whoever|Whom|Whose|Where|Wherever|How|That which)\s+(?!if\b)[a-z][^?]*$/;
/** Coined names, each with the field's term. A class of one letter keeps the names themselves out of this file. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:[c]abinet|[d]rawers|[a]sFiled)\b/, "FileKind, file-collections"],
  [/\b(?:[c]arryOut|[g]iveRightOfWay|[o]wnTurn|[s]ignOfLife)\b/, "apply, lowerPriority, yieldToEventLoop, heartbeat"],
  [/\b(?:[P]acedLine|[K]eptFetch|[W]ebLine|[T]rinoLine|[C]lickHouseLine|[G]uardedLine)\b/, "RequestPacer, HttpClient"],
  [/\b(?:[o]rAborted|[o]neAtATime|[o]neForAll|[s]haredState)\b/, "raceAbort, withKeyedLock, coalesce"],
  [/\b(?:[A]sker|[a]skKept\w*|[f]oresee|[R]aceStrip|[B]ones)\b/, "QueryBatcher, predict, RunBar, Skeleton"],
];
/** Comments, strings and text between tags. Expressions of templates are part of them. */
const PARTS =
  /(?<doc>\/\*\*[\s\S]*?\*\/)|(?<comment>\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=>)[^<>{}=;]*[a-z] [a-z][^<>{}=;]*(?=<|\{))/g;

/** Returns the wording in a file that the language guide rules out. Strings of tests are data and not checked. */
export function findLanguageProblems(path: string, source: string): LanguageProblem[] {
  const problems: LanguageProblem[] = [];
  const lineAt = (offset: number) => source.slice(0, offset).split("\n").length;
  const search = (rules: typeof PHRASES, text: string, offset: number) => {
    for (const [rule, advice] of rules) {
      const hit = rule.exec(text);
      if (hit) problems.push({ line: lineAt(offset + hit.index), found: hit[0], advice });
    }
  };
  if (path.endsWith(".md")) {
    const prose = source.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, (code) => code.replace(/[^\n]/g, " "));
    let offset = 0;
    for (const line of prose.split("\n")) {
      search(PHRASES, line, offset);
      offset += line.length + 1;
    }
    return problems;
  }
  const isTest = /\.(?:test|spec)\./.test(path);
  for (const { index, groups } of source.matchAll(PARTS)) {
    const { doc, comment, text } = groups ?? {};
    const words = doc ?? comment;
    if (words !== undefined) search(PHRASES, words, index);
    else if (text !== undefined && !isTest && /[a-z] [a-z]/.test(text)) search(PHRASES, text, index);
    const head = doc
      ?.replace(/^\/\*\*\s*(?:\*\s*)?|\s*\*\/$/g, "")
      .split("\n")[0]
      ?.trim();
    if (head !== undefined && HEADLESS.test(head)) {
      problems.push({ line: lineAt(index), found: head, advice: "start with a third-person verb or a noun" });
    }
  }
  search(NAMES, source, 0);
  return problems.sort((a, b) => a.line - b.line);
}

/** Prints the problems of all files. @returns how many there are */
function checkAll(): number {
  const root = new URL("../../", import.meta.url);
  let count = 0;
  for (const path of globSync(CHECKED, {
    cwd: fileURLToPath(root),
    exclude: (name) => name === "node_modules",
  }).sort()) {
    if (EXCLUDED.some((rule) => rule.test(path))) continue;
    for (const { line, found, advice } of findLanguageProblems(
      path,
      readFileSync(new URL(encodeURI(path), root), "utf8"),
    )) {
      count += 1;
      console.error(`${path}:${line}: “${found}”: ${advice}`);
    }
  }
  return count;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) process.exit(checkAll() === 0 ? 0 : 1);
