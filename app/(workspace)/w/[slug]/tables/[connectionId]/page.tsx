import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { TableView } from "@/components/schema/table-view";
import { isTableParam } from "@/lib/features/results/browser/table-address";

export const metadata: Metadata = { title: "Table" };

type TablePageProps = {
  params: Promise<{ slug: string; connectionId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function TablePage({ params, searchParams }: TablePageProps) {
  const { slug, connectionId } = await params;
  const { name, schema, ...others } = await searchParams;
  const table = { name: String(name ?? ""), ...(typeof schema === "string" && { schema }) };
  const query = new URLSearchParams(table).toString();
  // After signing in, the user comes back to the same rows.
  const arranged = Object.entries(others)
    .filter(([each]) => isTableParam(each))
    .flatMap(([each, given]) => [given ?? []].flat().map((value): [string, string] => [each, value]));
  await requireSession(
    `/w/${slug}/tables/${connectionId}?${new URLSearchParams([...Object.entries(table), ...arranged])}`,
  );
  // The browser loads the rows, so sorting them again does not load a new page.
  return <TableView key={`${connectionId} ${query}`} connectionId={connectionId} table={table} />;
}
