import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { MetricPage } from "@/components/metrics/metric-page";

export const metadata: Metadata = { title: "Metric" };

export default async function MetricFilePage({ params }: { params: Promise<{ slug: string; metricName: string }> }) {
  const { slug, metricName } = await params;
  await requireSession(`/w/${slug}/metrics/${metricName}`);
  return <MetricPage name={decodeURIComponent(metricName)} />;
}
