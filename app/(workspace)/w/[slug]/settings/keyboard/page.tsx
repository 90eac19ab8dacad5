import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { KeyboardSettings } from "@/components/settings/keyboard-settings";

export const metadata: Metadata = { title: "Keyboard shortcuts" };

export default async function KeyboardSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/keyboard`);
  return <KeyboardSettings />;
}
