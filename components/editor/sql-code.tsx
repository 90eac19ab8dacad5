import { Fragment } from "react";
import { lexSql, type SqlTokenKind } from "@/lib/sql/lexer";

const CLASSES: Partial<Record<SqlTokenKind, string>> = {
  keyword: "k",
  function: "f",
  string: "s",
  number: "n",
  comment: "c",
};

/** SQL in the editor's colours, without an editor. */
export function SqlCode({ text }: { text: string }) {
  return lexSql(text).map(({ kind, from, to }) => {
    const piece = text.slice(from, to);
    const className = CLASSES[kind];
    return className === undefined ? (
      <Fragment key={from}>{piece}</Fragment>
    ) : (
      <span key={from} className={className}>
        {piece}
      </span>
    );
  });
}
