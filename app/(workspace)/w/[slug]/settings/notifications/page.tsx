import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { toSearch } from "@/app/(workspace)/w/[slug]/consoles/to-search";
import { NotificationSettings } from "@/components/notifications/notification-settings";

export const metadata: Metadata = { title: "Notifications" };

type NotificationsPageProps = {
  params: Promise<{ slug: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** `rule` names the open rule, `delivery` the one with its attempts; the rest are filters. */
export default async function NotificationsPage({ params, searchParams }: NotificationsPageProps) {
  await requireSession(`/w/${(await params).slug}/settings/notifications${toSearch(await searchParams)}`);
  return <NotificationSettings />;
}
