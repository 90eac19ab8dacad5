import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ConnectedAppSettings } from "@/components/settings/connected-app-settings";

export const metadata: Metadata = { title: "Connected apps" };

export default async function ConnectedAppSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/connected-apps`);
  return <ConnectedAppSettings />;
}
