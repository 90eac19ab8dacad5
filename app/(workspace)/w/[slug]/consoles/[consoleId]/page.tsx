import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { Workbench } from "@/components/console/workbench";

export const metadata: Metadata = { title: "Console" };

/** The console is named by the address, which the workbench reads: tabs change it without a load. */
export default async function ConsolePage({ params }: { params: Promise<{ slug: string; consoleId: string }> }) {
  const { slug, consoleId } = await params;
  await requireSession(`/w/${slug}/consoles/${consoleId}`);
  return <Workbench />;
}
