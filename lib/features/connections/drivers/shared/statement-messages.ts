export const READ_ONLY_MESSAGE = "This connection is read-only: it runs queries and changes nothing.";
export const ONE_STATEMENT_MESSAGE = "Send one statement at a time. Run several one after the other.";
