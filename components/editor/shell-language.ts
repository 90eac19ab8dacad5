import { StreamLanguage } from "@codemirror/language";

/** Block comments span lines; every other token ends with its line. */
type State = { isInComment: boolean };

/** Highlighting of MongoDB's shell language; lib/base/mongo-shell parses what is split and run. */
export const shellLanguage = StreamLanguage.define<State>({
  name: "mongodb",
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
  startState: () => ({ isInComment: false }),
  token: (stream, state) => {
    if (state.isInComment || stream.match("/*")) {
      state.isInComment = !stream.match(/^.*?\*\//);
      if (state.isInComment) stream.skipToEnd();
      return "comment";
    }
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^(["'`])(?:\\.|(?!\1).)*\1?/)) return "string";
    if (stream.match(/^(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)n?/)) return "number";
    if (stream.match(/^(?:true|false|null|undefined|new|db)(?![\w$])/)) return "keyword";
    if (stream.match(/^[\w$\u0080-\uffff]+(?=\s*\()/)) return "function";
    if (!stream.match(/^[\w$\u0080-\uffff]+/)) stream.next();
    return null;
  },
});
