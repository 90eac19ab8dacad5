import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ConnectionList } from "@/components/connections/connection-list";

export const metadata: Metadata = { title: "Connections" };

export default async function ConnectionsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/connections`);
  return <ConnectionList />;
}
