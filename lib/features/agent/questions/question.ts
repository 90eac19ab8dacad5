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

/** What the assistant was worked on with, and what only its score is known of (unseen-questions.ts). */
export type Half = "seen" | "unseen";
