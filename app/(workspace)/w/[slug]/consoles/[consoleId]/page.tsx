import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { requireSession } from "@/app/(workspace)/require-session";
import { toSearch } from "@/app/(workspace)/w/[slug]/consoles/to-search";
import { WorkbenchView } from "@/components/consoles/workbench-view";

export const metadata: Metadata = { title: "Console" };

type ConsolePageProps = {
  params: Promise<{ slug: string; consoleId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** A run in the background has an id of the store's; the uuid of a query that somebody waited for opens the console. */
const RUN_ID = /^[0-9a-f]{24}$/;

/** The console is named by the address, which the workbench reads: tabs change it without a load. */
export default async function ConsolePage({ params, searchParams }: ConsolePageProps) {
  const { slug, consoleId } = await params;
  const query = await searchParams;
  await requireSession(`/w/${slug}/consoles/${consoleId}${toSearch(query)}`);
  if (typeof query.run === "string" && RUN_ID.test(query.run)) {
    redirect(`/w/${slug}/consoles/${consoleId}/schedule${toSearch(query)}`);
  }
  return <WorkbenchView />;
}
