import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { EditFlow } from "@/components/flows/flow-form-page";

export const metadata: Metadata = { title: "Edit flow" };

export default async function EditFlowPage({ params }: { params: Promise<{ slug: string; flowId: string }> }) {
  const { slug, flowId } = await params;
  await requireSession(`/w/${slug}/flows/${flowId}/edit`);
  return <EditFlow key={flowId} flowId={flowId} />;
}
