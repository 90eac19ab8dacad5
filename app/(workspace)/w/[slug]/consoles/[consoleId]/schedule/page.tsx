import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { toSearch } from "@/app/(workspace)/w/[slug]/consoles/to-search";
import { WorkbenchView } from "@/components/consoles/workbench-view";

export const metadata: Metadata = { title: "Schedule" };

type SchedulePageProps = {
  params: Promise<{ slug: string; consoleId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Schedule of a console and its runs. `run` selects the run to show; messages link to it. */
export default async function SchedulePage({ params, searchParams }: SchedulePageProps) {
  const { slug, consoleId } = await params;
  await requireSession(`/w/${slug}/consoles/${consoleId}/schedule${toSearch(await searchParams)}`);
  return <WorkbenchView />;
}
