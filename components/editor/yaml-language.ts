import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

/** Highlights keys, texts, numbers and comments of YAML; a package would parse what the server checks anyway. */
const yaml = StreamLanguage.define({
  name: "yaml",
  token: (stream) => {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\]|\\.)*"|^'(?:[^']|'')*'/))
      return stream.match(/^\s*:(?=\s|$)/, false) ? "propertyName" : "string";
    if (stream.match(/^[A-Za-z_][\w-]*(?=\s*:(?:\s|$))/)) return "propertyName";
    if (stream.match(/^(?:true|false|null)(?=\s*(?:$|[,}\]#]))/)) return "bool";
    if (stream.match(/^-?\d+(?:\.\d+)?(?=\s*(?:$|[,}\]#]))/)) return "number";
    if (stream.match(/^[-:,[\]{}|>](?=\s|$|[[\]{}"'\w])/)) return "punctuation";
    stream.match(/^[^\s,[\]{}#"':-]+/) || stream.next();
    return null;
  },
  languageData: { closeBrackets: { brackets: ["[", "{", '"'] }, commentTokens: { line: "#" } },
});

const colours = HighlightStyle.define([{ tag: tags.propertyName, color: "var(--code-keyword)" }]);

export function yamlLanguage(): Extension {
  return [yaml, syntaxHighlighting(colours)];
}
