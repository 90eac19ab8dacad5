import type { Metadata } from "next";
import { AuthFrame } from "@/components/auth/auth-frame";
import { EndedInvite } from "@/components/auth/ended-invite";
import { AcceptInvite, ForeignInvite, OpenInvite } from "@/components/auth/invite-cards";
import { findInvitation } from "@/lib/features/accounts/invites/service";
import { toInvitedRole } from "@/lib/features/accounts/invites/words";
import { getPageSession } from "@/lib/features/accounts/page-session";

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
        {invitation.inviterName} invited <b className="b6">{invitation.email}</b> as {toInvitedRole(invitation.role)}.
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
