/** Advice for each error code of next-auth in the provider's callback. */
const WORDS = new Map([
  [
    "OAuthAccountNotLinked",
    "There is an account with this email already, and it was made in another way. Sign in the way you made it.",
  ],
  [
    "AccessDenied",
    "You were not let in: your account there has no email that was verified, or access was not granted. Verify an email there and try again, or use your email and password here.",
  ],
  [
    "OAuthCallbackError",
    "The sign-in was cancelled there, or took too long. Try again, or use your email and password.",
  ],
  [
    "SignUpClosed",
    "This server does not admit new accounts without an invitation. Ask a workspace admin to invite you.",
  ],
  ["MissingCSRF", "The sign-in began in another tab or too long ago. Try again."],
  [
    "Configuration",
    "This way of signing in does not work on this server right now. Use your email and password, and tell whoever runs the server: its log has the reason.",
  ],
]);
const ANY_OTHER = "Signing in did not work. Try again, or use your email and password.";

/**
 * Explains a provider's sign-in that returned without a session.
 * @param error the value of `?error=`; null or undefined without one
 */
export function toSignInFailure(error: string | null | undefined): string | null {
  if (error === null || error === undefined) return null;
  return WORDS.get(error) ?? ANY_OTHER;
}
