"use client";

import { useQueries } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { Folder } from "@/lib/features/folders/schema";

const READERS = { consoles: consoleApi.lookUpFolders, dashboards: dashboardApi.lookUpFolders } as const;
type Area = keyof typeof READERS;
const AREAS = Object.keys(READERS) as Area[];

/** Reads folders of consoles and dashboards by their ids. Those that the user cannot see are left out. */
export function useFoldersById(ids: readonly string[]) {
  const { workspace } = useWorkspace();
  const list = [...new Set(ids)].sort().join(",");
  return useQueries({
    queries: AREAS.map((area) => ({
      queryKey: [area, workspace.id, "folders", "by-id", list],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const folders = list === "" ? [] : await READERS[area](workspace.id, list, signal);
        return folders.map((folder) => ({ ...folder, area }));
      },
    })),
    combine: joinAreas,
  });
}

type Part = { data: (Folder & { area: Area })[] | undefined; isPending: boolean };

function joinAreas(parts: readonly Part[]) {
  return {
    data: parts.flatMap(({ data = [] }) => data),
    isPending: parts.some(({ isPending }) => isPending),
  };
}
