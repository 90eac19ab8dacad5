import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { EditApp } from "@/components/apps/workbench/edit-app";

export const metadata: Metadata = { title: "Edit app" };

export default async function EditAppPage({ params }: { params: Promise<{ slug: string; app: string }> }) {
  const { slug, app } = await params;
  await requireSession(`/w/${slug}/apps/${app}/edit`);
  return <EditApp key={app} slug={app} />;
}
