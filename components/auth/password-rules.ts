/** Length limits (docs/develop/api.md, Accounts), in characters as people see them. The server's schema decides. */
const PASSWORD_LENGTH = { min: 8, max: 128 };

/** Returns the problem of a new password; undefined without one. */
export function findPasswordProblem(password: string): string | undefined {
  const length = [...password.normalize("NFC")].length;
  if (length === 0) return "Enter a password.";
  if (length < PASSWORD_LENGTH.min) return `Use at least 8 characters (${PASSWORD_LENGTH.min - length} more).`;
  return length > PASSWORD_LENGTH.max ? `Use at most ${PASSWORD_LENGTH.max} characters.` : undefined;
}
