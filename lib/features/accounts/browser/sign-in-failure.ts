/** Advice for each error code of next-auth in the provider's callback. */
const WORDS = new Map([
  ["OAuthAccountNotLinked", "An account with this email already exists. Sign in with your original method."],
  ["AccessDenied", "Sign-in was denied. Verify your email with the provider, or use your email and password."],
  ["OAuthCallbackError", "The sign-in was cancelled or timed out. Try again, or use your email and password."],
  ["SignUpClosed", "Registration is closed. Ask a workspace admin to invite you."],
  ["Unavailable", "The database was unavailable during sign-in. Try again in a moment."],
  ["MissingCSRF", "The sign-in expired. Try again."],
  ["Configuration", "This sign-in method is not working. Use your email and password, and contact your administrator."],
]);
const ANY_OTHER = "Sign-in failed. Try again, or use your email and password.";

/**
 * Explains a provider's sign-in that returned without a session.
 * @param error the value of `?error=`; null or undefined without one
 */
export function toSignInFailure(error: string | null | undefined): string | null {
  if (error === null || error === undefined) return null;
  return WORDS.get(error) ?? ANY_OTHER;
}
