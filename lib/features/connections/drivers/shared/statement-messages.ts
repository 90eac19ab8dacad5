export const READ_ONLY_MESSAGE = "This connection is read-only. It can't change data.";
export const ONE_STATEMENT_MESSAGE = "Only one statement at a time is allowed.";
