import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { toSearch } from "@/app/(workspace)/w/[slug]/consoles/to-search";
import { WorkbenchView } from "@/components/consoles/workbench-view";

export const metadata: Metadata = { title: "Schedule" };

type SchedulePageProps = {
  params: Promise<{ slug: string; consoleId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** When a console runs by itself, and its runs; `run` names the one that is shown, which messages link to. */
export default async function SchedulePage({ params, searchParams }: SchedulePageProps) {
  const { slug, consoleId } = await params;
  await requireSession(`/w/${slug}/consoles/${consoleId}/schedule${toSearch(await searchParams)}`);
  return <WorkbenchView />;
}
