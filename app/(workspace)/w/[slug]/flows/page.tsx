import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { FlowList } from "@/components/flows/flow-list";

export const metadata: Metadata = { title: "Flows" };

export default async function FlowsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/flows`);
  return <FlowList />;
}
