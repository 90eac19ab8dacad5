"use client";

import { useQuery } from "@tanstack/react-query";
import type { SqlDialect } from "@/lib/base/sql/dialects";
import { type ConnectionType, connectionsApi } from "@/lib/features/connections/browser/client";

/** The kinds of connection that this server offers; they do not change while it runs. */
export function useConnectionTypes() {
  return useQuery({
    queryKey: ["connection-types"],
    queryFn: ({ signal }) => connectionsApi.listTypes(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Finds what a kind of connection is like; null while the kinds are not known, and for one that this server has no more. */
export function useFindType(): (type: string | null | undefined) => ConnectionType | null {
  const { data } = useConnectionTypes();
  return (type) => data?.find((each) => each.type === type) ?? null;
}

/** How the SQL of a kind of connection is read; while that is not known, and for what is no SQL, as the standard has it. */
export function useDialect(type: string | null | undefined): SqlDialect {
  return useFindType()(type)?.dialect ?? "standard";
}

/** How the texts of its consoles are cut into statements. */
export function useScriptLanguage(type: string | null | undefined): SqlDialect | "mongodb" {
  const found = useFindType()(type);
  return found?.language === "mongodb" ? "mongodb" : (found?.dialect ?? "standard");
}

/** The engine's name as people write it. A kind that this server has no more is named as it is stored. */
export function useEngineName(): (type: string | null | undefined) => string {
  const { data } = useConnectionTypes();
  return (type) => {
    // While the kinds are read, nothing is better than a word that changes under the reader's eye.
    if (data === undefined || !type) return "";
    return data.find((each) => each.type === type)?.engineName ?? type;
  };
}
