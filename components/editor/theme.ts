import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours are CSS variables of the tokens, so that one theme serves light and dark. */
const highlightWith = (commentColour: string) =>
  HighlightStyle.define([
    {
      tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.typeName, tags.bool, tags.null],
      color: "var(--code-keyword)",
      fontWeight: "500",
    },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
    { tag: tags.number, color: "var(--code-number)" },
    { tag: tags.comment, color: commentColour, fontStyle: "italic" },
  ]);

const view = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--code-ident)", backgroundColor: "var(--surface-sheet)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "21px", overflow: "auto" },
  ".cm-content": { padding: "6px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 14px 0 0" },
  ".cm-cursor": { borderLeft: "2px solid var(--accent)", marginLeft: "-1px" },
  ".cm-gutters": { backgroundColor: "var(--surface-sheet)", border: "0", color: "var(--text-3)", userSelect: "none" },
  ".cm-lineNumbers .cm-gutterElement": {
    minWidth: "44px",
    padding: "0 14px 0 0",
    fontSize: "11.5px",
    lineHeight: "21px",
  },
  ".cm-gutterElement.cm-statement": { boxShadow: "inset 3px 0 0 var(--accent-line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--code-line-active)" },
  "& .cm-line.cm-errorLine, &.cm-focused .cm-line.cm-errorLine, & .cm-gutterElement.cm-errorLine, &.cm-focused .cm-gutterElement.cm-errorLine":
    {
      backgroundColor: "var(--danger-soft)",
    },
  ".cm-function, .cm-function span": { color: "var(--code-function)", fontWeight: "400" },
  ".cm-errorMark": { textDecoration: "underline wavy var(--danger) 1.5px", textUnderlineOffset: "4px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--code-selection)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--accent-line)",
    borderRadius: "2px",
  },
  ".cm-searchMatch": {
    backgroundColor: "var(--brass-soft)",
    outline: "1px solid var(--brass-line)",
    borderRadius: "2px",
  },
  ".cm-searchMatch-selected": { backgroundColor: "var(--brass)", color: "var(--brass-on)" },
  ".cm-placeholder": { color: "var(--text-3)" },
  ".cm-panels": { backgroundColor: "var(--surface-panel)", color: "var(--text-1)", fontFamily: "var(--font-ui)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line-1)" },
  ".cm-panel.cm-search": { padding: "8px 36px 8px 12px", fontSize: "12px" },
  ".cm-panel.cm-search label": { fontSize: "12px", margin: "0 6px 0 0" },
  ".cm-panel.cm-search [name=close]": {
    top: "6px",
    right: "8px",
    width: "24px",
    height: "24px",
    fontSize: "18px",
    color: "var(--text-2)",
  },
  ".cm-dialog": { display: "flex", alignItems: "center", gap: "8px", padding: "8px 36px 8px 12px", fontSize: "12px" },
  ".cm-dialog-close": {
    top: "8px",
    right: "8px",
    width: "24px",
    height: "24px",
    fontSize: "18px",
    color: "var(--text-2)",
  },
  ".cm-textfield": {
    height: "24px",
    margin: "2px 4px 2px 0",
    padding: "0 8px",
    fontSize: "12px",
    border: "1px solid var(--line-control)",
    borderRadius: "var(--r-sm)",
    backgroundColor: "var(--surface-sheet)",
    color: "var(--text-1)",
  },
  ".cm-button": {
    height: "24px",
    margin: "2px 4px 2px 0",
    padding: "0 8px",
    fontSize: "12px",
    fontWeight: "500",
    backgroundImage: "none",
    border: "1px solid var(--line-2)",
    borderRadius: "var(--r-sm)",
    backgroundColor: "var(--surface-sheet)",
    color: "var(--text-1)",
  },
  ".cm-tooltip": {
    border: "1px solid var(--line-2)",
    borderRadius: "var(--r-md)",
    backgroundColor: "var(--surface-raised)",
    boxShadow: "var(--e-2)",
    color: "var(--text-1)",
    zIndex: "var(--z-popover)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--font-mono)",
    fontSize: "12px",
    maxHeight: "200px",
    minWidth: "246px",
    padding: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    alignItems: "center",
    gap: "7px",
    height: "24px",
    lineHeight: "24px",
    padding: "0 6px",
    borderRadius: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--surface-selected)",
    color: "var(--text-1)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600", color: "var(--accent-text)" },
  ".cm-completionLabel": { minWidth: "0", overflow: "hidden", textOverflow: "ellipsis" },
  // The schema and the name are one word.
  ".cm-schema": { marginRight: "-7px", color: "var(--text-3)" },
  ".cm-completionDetail": {
    flex: "none",
    marginLeft: "auto",
    paddingLeft: "16px",
    fontStyle: "normal",
    fontSize: "11px",
    color: "var(--text-3)",
  },
  ".cm-sign": {
    width: "13px",
    flex: "none",
    fontFamily: "var(--font-ui)",
    fontSize: "11px",
    textAlign: "center",
    color: "var(--text-3)",
  },
  ".cm-sign svg": {
    width: "12px",
    height: "12px",
    verticalAlign: "-2px",
    fill: "none",
    stroke: "currentColor",
    strokeWidth: "2",
    strokeLinecap: "round",
    strokeLinejoin: "round",
  },
  ".cm-tooltip.cm-completionInfo": {
    padding: "10px 12px",
    width: "210px",
    fontFamily: "var(--font-ui)",
    fontSize: "12px",
    lineHeight: "17px",
    color: "var(--text-2)",
  },
  ".cm-explained": {
    padding: "8px 12px",
    maxWidth: "420px",
    fontSize: "12px",
    lineHeight: "17px",
    color: "var(--text-2)",
  },
  ".cm-explained b": { fontFamily: "var(--font-mono)", color: "var(--text-1)", fontWeight: "600" },
  ".cm-tooltip.cm-completionInfo b": { color: "var(--text-1)", fontWeight: "600" },
});

export const editorTheme = [view, syntaxHighlighting(highlightWith("var(--code-comment)"))];
/** The same over the background of a change, where comments need more contrast. */
export const diffTheme = [view, syntaxHighlighting(highlightWith("var(--text-2)"))];
