import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ProfileSettings } from "@/components/settings/profile-settings";

export const metadata: Metadata = { title: "Profile" };

export default async function ProfileSettingsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/settings/profile`);
  return <ProfileSettings />;
}
