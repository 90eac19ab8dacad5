import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { MetricList } from "@/components/metrics/metric-list";

export const metadata: Metadata = { title: "Metrics" };

export default async function MetricsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/metrics`);
  return <MetricList />;
}
