import { redirect } from "next/navigation";

/** The consoles are the workspace's first page; people shorten the address of one to this. */
export default async function ConsolesPage({ params }: { params: Promise<{ slug: string }> }) {
  redirect(`/w/${encodeURIComponent((await params).slug)}`);
}
