import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { MemberSettings } from "@/components/settings/member-settings";

export const metadata: Metadata = { title: "Members" };

export default async function MemberSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/members`);
  return <MemberSettings />;
}
