import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { AgentSettings } from "@/components/settings/agent-settings";

export const metadata: Metadata = { title: "Agent" };

export default async function AgentSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/agent`);
  return <AgentSettings />;
}
