/** Shown instead of the form for an invitation that is no longer valid. */
export function EndedInvite({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <>
      <h1>This invitation has ended</h1>
      <p>It was used, taken back, or is older than 7 days. Ask the person who sent it for a new one.</p>
      <div className="auth-form">
        <a className="btn lg" href={isSignedIn ? "/" : "/login"}>
          {isSignedIn ? "Back to your workspace" : "Sign in"}
        </a>
      </div>
    </>
  );
}
