import { redirect } from "next/navigation";
import { getPageSession } from "@/lib/auth/page-session";

export default async function HomePage() {
  const session = await getPageSession();
  if (session === null) redirect("/login");
  const [workspace] = session.workspaces;
  redirect(workspace ? `/w/${workspace.slug}` : "/new-workspace");
}
