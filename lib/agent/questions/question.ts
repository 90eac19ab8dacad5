import { createHash } from "node:crypto";

/** One question as people ask it, and the rows that answer it. */
export type Question = {
  ask: string;
  /** What was asked before in the same conversation, oldest first. */
  after?: string[];
  /** Reference SQL, in the dialect of its data. An answer is right when it holds these columns with these rows. */
  sql: string;
  /** The order of the rows is asked for. */
  isOrdered?: true;
  /** For what rows cannot tell: words that the answer has to hold; then `sql` is empty. */
  says?: string[];
};

export type Half = "seen" | "unseen";

/** The unseen half is not looked at while the offline assistant is worked on: which one it is follows from the text. */
export function halfOf({ ask, after }: Question): Half {
  const digest = createHash("sha256")
    .update([...(after ?? []), ask].join("\n"))
    .digest();
  return (digest[0] ?? 0) % 2 === 0 ? "seen" : "unseen";
}
