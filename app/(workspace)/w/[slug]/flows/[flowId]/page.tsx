import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { FlowRunPage } from "@/components/flows/flow-run-page";

export const metadata: Metadata = { title: "Flow" };

export default async function FlowPage({ params }: { params: Promise<{ slug: string; flowId: string }> }) {
  const { slug, flowId } = await params;
  await requireSession(`/w/${slug}/flows/${flowId}`);
  return <FlowRunPage key={flowId} flowId={flowId} runId={null} />;
}
