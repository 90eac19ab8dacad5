import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { toSearch } from "@/app/(workspace)/w/[slug]/consoles/to-search";
import { WorkbenchView } from "@/components/consoles/workbench-view";

export const metadata: Metadata = { title: "Console" };

type ConsolePageProps = {
  params: Promise<{ slug: string; consoleId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** The console is named by the address, which the workbench reads: tabs change it without a load. */
export default async function ConsolePage({ params, searchParams }: ConsolePageProps) {
  const { slug, consoleId } = await params;
  await requireSession(`/w/${slug}/consoles/${consoleId}${toSearch(await searchParams)}`);
  return <WorkbenchView />;
}
