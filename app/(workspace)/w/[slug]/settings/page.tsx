import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { GeneralSettings } from "@/components/settings/general-settings";

export const metadata: Metadata = { title: "Settings" };

/** First page of the settings; on a phone this address is their list. */
export default async function SettingsIndexPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings`);
  return <GeneralSettings />;
}
