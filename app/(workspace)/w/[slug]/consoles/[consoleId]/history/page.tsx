import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { toSearch } from "@/app/(workspace)/w/[slug]/consoles/to-search";
import { WorkbenchView } from "@/components/consoles/workbench-view";

export const metadata: Metadata = { title: "History" };

type HistoryPageProps = {
  params: Promise<{ slug: string; consoleId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Saves of a console; `sha` selects the one to show. */
export default async function HistoryPage({ params, searchParams }: HistoryPageProps) {
  const { slug, consoleId } = await params;
  await requireSession(`/w/${slug}/consoles/${consoleId}/history${toSearch(await searchParams)}`);
  return <WorkbenchView />;
}
