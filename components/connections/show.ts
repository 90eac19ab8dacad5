import type { Connection } from "@/lib/features/connections/schema";

/** Sections of the list, as `?show=` names them. */
export const SHOWS = ["all", "databases", "sources", "failing"] as const;
export type Show = (typeof SHOWS)[number];

export function toShow(text: string | null): Show {
  return SHOWS.find((show) => show === text) ?? "all";
}

/** Returns whether the connection belongs to the section and matches the search. */
export function isShown(connection: Connection, show: Show, search: string): boolean {
  const isInPart =
    show === "all" ||
    (show === "databases" && connection.category === "database") ||
    (show === "sources" && connection.category === "source") ||
    (show === "failing" && connection.status === "failing");
  return isInPart && `${connection.name} ${connection.type}`.toLowerCase().includes(search.trim().toLowerCase());
}
