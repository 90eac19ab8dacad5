"use client";

import { useQuery } from "@tanstack/react-query";
import { connectionsApi } from "@/lib/client/connections";

/** The kinds of connection that this server offers; they do not change while it runs. */
export function useConnectionTypes() {
  return useQuery({
    queryKey: ["connection-types"],
    queryFn: ({ signal }) => connectionsApi.listTypes(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
