import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ConnectionDetails } from "@/components/connections/connection-details";

export const metadata: Metadata = { title: "Connection" };

type ConnectionPageProps = { params: Promise<{ slug: string; connectionId: string }> };

export default async function ConnectionPage({ params }: ConnectionPageProps) {
  const { slug, connectionId } = await params;
  await requireSession(`/w/${slug}/connections/${connectionId}`);
  return <ConnectionDetails key={connectionId} connectionId={connectionId} />;
}
