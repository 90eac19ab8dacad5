import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { WorkbenchView } from "@/components/consoles/workbench-view";

export const metadata: Metadata = { title: "Consoles" };

/** Opens the last open console; on a phone it is the list. */
export default async function WorkspacePage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}`);
  return <WorkbenchView />;
}
