import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { SessionSettings } from "@/components/settings/session-settings";

export const metadata: Metadata = { title: "Sessions" };

export default async function SessionSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/sessions`);
  return <SessionSettings />;
}
