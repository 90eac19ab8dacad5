import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ImportPage } from "@/components/connections/import/import-page";

export const metadata: Metadata = { title: "Import file" };

export default async function ImportFilePage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/connections/import`);
  return <ImportPage />;
}
