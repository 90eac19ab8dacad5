import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { OutboxSettings } from "@/components/settings/outbox-settings";

export const metadata: Metadata = { title: "Outbox" };

export default async function OutboxSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/outbox`);
  return <OutboxSettings />;
}
