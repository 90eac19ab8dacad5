import { Fragment } from "react";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { colourSql, type SqlColour } from "@/lib/base/sql/highlight";

const CLASSES: Partial<Record<SqlColour, string>> = {
  keyword: "k",
  function: "f",
  string: "s",
  number: "n",
  comment: "c",
};

/** SQL with the editor's highlighting, without an editor. */
export function SqlCode({ text, dialect }: { text: string; dialect: SqlDialect }) {
  return colourSql(text, dialect).map(({ kind, from, to }) => {
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
