import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { LinkRepository } from "@/components/apps/link-repository";

export const metadata: Metadata = { title: "Link repository" };

export default async function LinkPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/apps/link`);
  return <LinkRepository />;
}
