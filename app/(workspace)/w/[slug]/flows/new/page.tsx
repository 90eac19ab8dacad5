import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { NewFlow } from "@/components/flows/flow-form-page";

export const metadata: Metadata = { title: "New flow" };

export default async function NewFlowPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/flows/new`);
  return <NewFlow />;
}
