import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { AppearanceSettings } from "@/components/settings/appearance-settings";

export const metadata: Metadata = { title: "Appearance" };

export default async function AppearanceSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/appearance`);
  return <AppearanceSettings />;
}
