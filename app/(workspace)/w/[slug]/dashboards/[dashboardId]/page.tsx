import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ChartsAhead } from "@/components/dashboards/charts-ahead";
import { DashboardView } from "@/components/dashboards/dashboard-view";

export const metadata: Metadata = { title: "Dashboard" };

type Params = { params: Promise<{ slug: string; dashboardId: string }> };

export default async function DashboardPage({ params }: Params) {
  const { slug, dashboardId } = await params;
  await requireSession(`/w/${slug}/dashboards/${dashboardId}`);
  return (
    <>
      <ChartsAhead />
      <DashboardView key={dashboardId} dashboardId={dashboardId} />
    </>
  );
}
