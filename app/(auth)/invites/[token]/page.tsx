import type { Metadata } from "next";
import { AuthFrame } from "@/components/auth/auth-frame";
import { AcceptInvite, EndedInvite, ForeignInvite, OpenInvite } from "@/components/auth/invite-cards";
import { getPageSession } from "@/lib/auth/page-session";
import { AppError } from "@/lib/http/errors";
import { type Invitation, inviteToken } from "@/lib/invites/schema";
import { getInvitation } from "@/lib/invites/service";

export const metadata: Metadata = { title: "Invitation", referrer: "no-referrer" };

export default async function InvitePage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const session = await getPageSession();
  const invitation = await findInvitation(token);
  if (invitation === null) return <AuthFrame>{<EndedInvite isSignedIn={session !== null} />}</AuthFrame>;
  return (
    <AuthFrame>
      <h1>Join {invitation.workspaceName}</h1>
      <p>
        {invitation.inviterName} invites <b className="b6">{invitation.email}</b> as{" "}
        {invitation.role === "member" ? "a member" : `an ${invitation.role}`}.
      </p>
      {session === null ? (
        <OpenInvite token={token} />
      ) : session.user.email === invitation.email ? (
        <AcceptInvite token={token} workspaceName={invitation.workspaceName} />
      ) : (
        <ForeignInvite token={token} ownEmail={session.user.email} email={invitation.email} />
      )}
    </AuthFrame>
  );
}

/** Null for a link that is unknown, used or over: to who holds it they are the same. */
async function findInvitation(token: string): Promise<Invitation | null> {
  if (!inviteToken.safeParse(token).success) return null;
  try {
    return await getInvitation(token);
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") return null;
    throw error;
  }
}
