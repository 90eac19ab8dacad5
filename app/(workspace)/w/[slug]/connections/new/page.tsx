import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { NewConnection } from "@/components/connections/new-connection";

export const metadata: Metadata = { title: "Add connection" };

export default async function NewConnectionPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/connections/new`);
  return <NewConnection />;
}
