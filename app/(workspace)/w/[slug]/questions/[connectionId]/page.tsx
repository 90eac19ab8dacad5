import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { QuestionView } from "@/components/questions/question-view";

export const metadata: Metadata = { title: "Question" };

type QuestionPageProps = {
  params: Promise<{ slug: string; connectionId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function QuestionPage({ params, searchParams }: QuestionPageProps) {
  const { slug, connectionId } = await params;
  const { name, schema, console: saved } = await searchParams;
  const table = typeof name === "string" ? { name, ...(typeof schema === "string" && { schema }) } : null;
  const consoleId = typeof saved === "string" ? saved : null;
  const query = new URLSearchParams({ ...table, ...(consoleId !== null && { console: consoleId }) }).toString();
  await requireSession(`/w/${slug}/questions/${connectionId}${query === "" ? "" : `?${query}`}`);
  // The question itself is in the fragment, which only the browser reads.
  return (
    <QuestionView key={`${connectionId} ${query}`} connectionId={connectionId} table={table} consoleId={consoleId} />
  );
}
