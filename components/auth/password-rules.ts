/** docs/develop/api.md, Accounts; counted in characters as people see them. The server's schema has the last word. */
const PASSWORD_LENGTH = { min: 8, max: 128 };

/** What is wrong with a new password; true when nothing is, as forms expect it. */
export function findPasswordProblem(password: string): string | true {
  const length = [...password.normalize("NFC")].length;
  if (length === 0) return "Choose a password.";
  if (length < PASSWORD_LENGTH.min) return `${PASSWORD_LENGTH.min - length} more to reach 8 characters.`;
  return length > PASSWORD_LENGTH.max ? `At most ${PASSWORD_LENGTH.max} characters.` : true;
}
