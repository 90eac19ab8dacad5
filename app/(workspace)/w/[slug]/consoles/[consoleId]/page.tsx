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

/** A background run has an id from the database. The UUID of an interactive query opens the console. */
const RUN_ID = /^[0-9a-f]{24}$/;

/** The address names the console, and the workbench reads it: switching tabs does not load a page. */
export default async function ConsolePage({ params, searchParams }: ConsolePageProps) {
  const { slug, consoleId } = await params;
  const query = await searchParams;
  await requireSession(`/w/${slug}/consoles/${consoleId}${toSearch(query)}`);
  if (typeof query.run === "string" && RUN_ID.test(query.run)) {
    redirect(`/w/${slug}/consoles/${consoleId}/schedule${toSearch(query)}`);
  }
  return <WorkbenchView />;
}
