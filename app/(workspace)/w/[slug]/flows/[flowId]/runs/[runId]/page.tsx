import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { FlowRunPage } from "@/components/flows/flow-run-page";

export const metadata: Metadata = { title: "Flow run" };

type RunPageProps = { params: Promise<{ slug: string; flowId: string; runId: string }> };

export default async function RunPage({ params }: RunPageProps) {
  const { slug, flowId, runId } = await params;
  await requireSession(`/w/${slug}/flows/${flowId}/runs/${runId}`);
  return <FlowRunPage key={flowId} flowId={flowId} runId={runId} />;
}
