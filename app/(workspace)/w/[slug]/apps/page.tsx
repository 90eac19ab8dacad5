import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { AppsHome } from "@/components/apps/apps-home";

export const metadata: Metadata = { title: "Apps" };

export default async function AppsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/apps`);
  return <AppsHome />;
}
