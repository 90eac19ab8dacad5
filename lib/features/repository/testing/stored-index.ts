import type { Document, ObjectId } from "mongodb";
import { collections } from "../collections";

/** The history index as it stands, in an order of its own and without the documents' ids. */
export async function storedIndex(repositoryId: ObjectId): Promise<{ commits: Document[]; entries: Document[] }> {
  const commits = await collections
    .gitCommits()
    .find({ workspaceId: repositoryId }, { projection: { _id: 0 } })
    .toArray();
  const entries = await collections
    .gitHistory()
    .find({ workspaceId: repositoryId }, { projection: { _id: 0 } })
    .toArray();
  const keyOf = (doc: Document) => [String(doc.seq).padStart(9, "0"), doc.lineage, doc.path, doc.status].join("\t");
  const sorted = (docs: Document[]) => docs.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(sortFields);
  return { commits: sorted(commits), entries: sorted(entries) };
}

function sortFields(doc: Document): Document {
  return Object.fromEntries(Object.entries(doc).sort(([a], [b]) => (a < b ? -1 : 1)));
}
