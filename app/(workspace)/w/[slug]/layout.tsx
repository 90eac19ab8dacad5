import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { LiveRefresh } from "@/components/layout/live-refresh";
import { WorkspaceProvider } from "@/components/layout/workspace-context";
import { Shell } from "@/components/shell/shell";
import { getPageSession } from "@/lib/features/accounts/page-session";

type LayoutProps = { children: ReactNode; params: Promise<{ slug: string }> };

export default async function WorkspaceLayout({ children, params }: LayoutProps) {
  const { slug } = await params;
  const session = await getPageSession();
  // The page below redirects to the sign-in page: it knows the address to come back to.
  if (session === null) return children;
  const workspace = session.workspaces.find((each) => each.slug === slug);
  if (!workspace) notFound();
  return (
    <WorkspaceProvider key={workspace.id} user={session.user} workspaces={session.workspaces} workspace={workspace}>
      <LiveRefresh />
      <Shell>{children}</Shell>
    </WorkspaceProvider>
  );
}
