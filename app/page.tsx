import { redirect } from "next/navigation";
import { getPageSession } from "@/lib/features/accounts/page-session";
import { hasAccounts } from "@/lib/features/users/service";

export default async function HomePage() {
  const session = await getPageSession();
  if (session === null) redirect((await hasAccounts()) ? "/login" : "/register");
  const [workspace] = session.workspaces;
  redirect(workspace ? `/w/${workspace.slug}` : "/new-workspace");
}
