import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { AppView } from "@/components/apps/view/app-view";

export const metadata: Metadata = { title: "App" };

export default async function AppPage({ params }: { params: Promise<{ slug: string; app: string }> }) {
  const { slug, app } = await params;
  await requireSession(`/w/${slug}/apps/${app}`);
  return <AppView key={app} slug={app} />;
}
