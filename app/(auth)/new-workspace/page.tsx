import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { AuthFrame } from "@/components/auth/auth-frame";
import { NewWorkspaceForm } from "@/components/auth/new-workspace-form";
import { getPageSession } from "@/lib/features/accounts/page-session";

export const metadata: Metadata = { title: "New workspace" };

/** Also shown after a user deletes or leaves their last workspace. */
export default async function NewWorkspacePage() {
  const session = await getPageSession();
  if (session === null) redirect("/login?next=%2Fnew-workspace");
  const [first] = session.workspaces;
  return (
    <AuthFrame>
      <h1>New workspace</h1>
      <p>
        {first ? (
          <>
            You'll be the owner. <Link href={`/w/${first.slug}`}>Back to {first.name}</Link>
          </>
        ) : (
          "You're not in a workspace yet. Create one or accept an invitation."
        )}
      </p>
      <NewWorkspaceForm />
    </AuthFrame>
  );
}
