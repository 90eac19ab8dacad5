import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ApiKeySettings } from "@/components/settings/api-key-settings";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeySettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/api-keys`);
  return <ApiKeySettings />;
}
