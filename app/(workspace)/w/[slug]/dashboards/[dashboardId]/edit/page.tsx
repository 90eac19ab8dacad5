import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { EditDashboard } from "@/components/dashboards/edit/edit-dashboard";

export const metadata: Metadata = { title: "Edit dashboard" };

type EditPageProps = { params: Promise<{ slug: string; dashboardId: string }> };

export default async function EditDashboardPage({ params }: EditPageProps) {
  const { slug, dashboardId } = await params;
  await requireSession(`/w/${slug}/dashboards/${dashboardId}/edit`);
  return <EditDashboard key={dashboardId} dashboardId={dashboardId} />;
}
