import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { toSearch } from "@/app/(workspace)/w/[slug]/consoles/to-search";
import { ActivityView } from "@/components/activity/activity-view";

export const metadata: Metadata = { title: "Activity" };

type ActivityPageProps = {
  params: Promise<{ slug: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Shows the activity. The query of the address holds the filters. */
export default async function ActivityPage({ params, searchParams }: ActivityPageProps) {
  await requireSession(`/w/${(await params).slug}/activity${toSearch(await searchParams)}`);
  return <ActivityView />;
}
