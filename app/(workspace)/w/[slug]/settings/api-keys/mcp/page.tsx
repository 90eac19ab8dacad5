import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { McpSettings } from "@/components/settings/mcp-settings";

export const metadata: Metadata = { title: "MCP client" };

export default async function McpSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/api-keys/mcp`);
  return <McpSettings />;
}
