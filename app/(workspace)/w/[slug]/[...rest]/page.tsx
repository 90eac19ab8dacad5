import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { UnknownPlace } from "@/components/shell/unknown-place";

export const metadata: Metadata = { title: "Page not found" };

type UnknownPageProps = { params: Promise<{ slug: string; rest: string[] }> };

/**
 * Renders an unknown address of the workspace: without this page the frame around it would disappear too. `notFound`
 * does not fit: its page is empty until its scripts have run, and has no theme until then.
 */
export default async function UnknownPage({ params }: UnknownPageProps) {
  const { slug, rest } = await params;
  await requireSession(`/w/${slug}/${rest.join("/")}`);
  return <UnknownPlace />;
}
