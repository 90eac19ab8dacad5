import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { DashboardList } from "@/components/dashboards/dashboard-list";

export const metadata: Metadata = { title: "Dashboards" };

export default async function DashboardsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/dashboards`);
  return <DashboardList />;
}
