import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { GeneralSettings } from "@/components/settings/general-settings";

export const metadata: Metadata = { title: "General" };

export default async function GeneralSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/general`);
  return <GeneralSettings />;
}
