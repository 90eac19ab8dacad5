/** Shown instead of the form for an invitation that is no longer valid. */
export function EndedInvite({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <>
      <h1>Invitation no longer valid</h1>
      <p>It was used, revoked or has expired. Ask for a new one.</p>
      <div className="auth-form">
        <a className="btn lg" href={isSignedIn ? "/" : "/login"}>
          {isSignedIn ? "Back to workspace" : "Sign in"}
        </a>
      </div>
    </>
  );
}
