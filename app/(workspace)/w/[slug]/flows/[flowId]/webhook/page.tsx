import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { WebhookPage } from "@/components/flows/webhook-page";

export const metadata: Metadata = { title: "Flow webhook" };

type WebhookPageProps = { params: Promise<{ slug: string; flowId: string }> };

export default async function FlowWebhookPage({ params }: WebhookPageProps) {
  const { slug, flowId } = await params;
  await requireSession(`/w/${slug}/flows/${flowId}/webhook`);
  return <WebhookPage key={flowId} flowId={flowId} />;
}
