import { autocompletion } from "@codemirror/autocomplete";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript, javascriptLanguage } from "@codemirror/lang-javascript";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { HighlightStyle, LRLanguage, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { appCompletion, type KnownBinding } from "@/components/editor/app-completion";
import type { FileKind } from "@/lib/features/apps/browser/app-files";

/** JSON is parsed as a JavaScript expression, whose grammar is bundled anyway. */
const json = LRLanguage.define({
  name: "json",
  parser: javascriptLanguage.parser.configure({ top: "SingleExpression" }),
  languageData: { closeBrackets: { brackets: ["[", "{", '"'] } },
});

type MarkdownState = { isInFence: boolean };

/** Highlights headings, lists, quotes, code and links; the Markdown package would add 500 KB for these few. */
const markdown = StreamLanguage.define<MarkdownState>({
  name: "markdown",
  startState: () => ({ isInFence: false }),
  token: (stream, state) => {
    if (stream.sol() && stream.match(/^\s*(?:```|~~~)/)) {
      state.isInFence = !state.isInFence;
      stream.skipToEnd();
      return "string";
    }
    if (state.isInFence) {
      stream.skipToEnd();
      return "string";
    }
    if (stream.sol() && stream.match(/^#{1,6}\s.*/)) return "keyword";
    if (stream.sol() && stream.match(/^\s*(?:[-*+]|\d+[.)])\s/)) return "number";
    if (stream.sol() && stream.match(/^\s*>.*/)) return "comment";
    if (stream.match(/^(`+)(?:(?!\1).)+\1/)) return "string";
    if (stream.match(/^(?:\*\*|__)(?=\S).*?\S(?:\*\*|__)/)) return "keyword";
    if (stream.match(/^!?\[[^\]]*\]\([^)]*\)/)) return "labelName";
    stream.next();
    stream.eatWhile(/[^`*_[!]/);
    return null;
  },
});

/** Adds what the console's highlighting omits: tags, attributes, properties and function names. */
const fileColours = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: "var(--code-keyword)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--code-function)" },
  { tag: [tags.attributeName, tags.labelName, tags.definition(tags.propertyName)], color: "var(--code-function)" },
  { tag: [tags.attributeValue, tags.regexp, tags.color], color: "var(--code-string)" },
  { tag: [tags.unit, tags.atom], color: "var(--code-number)" },
]);

const script = javascript({ jsx: true, typescript: true });
const LANGUAGES: Record<FileKind, () => Extension> = {
  script: () => script,
  css,
  html: () => html(),
  json: () => json,
  markdown: () => markdown,
  // A binding's connection, and so its dialect, is not known here.
  sql: () => sql({ dialect: PostgreSQL }),
  image: () => html(),
  text: () => [],
};

/** Returns highlighting and completion sources for a file of an app. SVG images are highlighted as HTML. */
export function fileLanguage(kind: FileKind): Extension {
  return [LANGUAGES[kind](), syntaxHighlighting(fileColours)];
}

/**
 * Returns the same for a file that can be edited.
 * @param readBindings returns the app's current bindings
 */
export function writtenLanguage(kind: FileKind, readBindings: () => readonly KnownBinding[]): Extension {
  return [fileLanguage(kind), autocompletion(), kind === "script" ? appCompletion(readBindings) : []];
}
