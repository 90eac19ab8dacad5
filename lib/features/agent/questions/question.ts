/** One question in natural language, and the rows that answer it. */
export type Question = {
  ask: string;
  /** Earlier questions of the conversation, oldest first. */
  after?: string[];
  /** Reference SQL, in the dialect of its data. An answer is right if it has the same columns and rows. */
  sql: string;
  /** Whether the order of the rows matters. */
  isOrdered?: true;
  /** Words that the answer has to contain if rows cannot show it; then `sql` is empty. */
  says?: string[];
};

/**
 * `seen`: questions that the assistant was developed with. `unseen`: only its score on them is known
 * (unseen-questions.ts).
 */
export type Half = "seen" | "unseen";
