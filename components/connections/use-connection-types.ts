"use client";

import { useQuery } from "@tanstack/react-query";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { connectionsApi } from "@/lib/features/connections/browser/client";
import type { ConnectionType } from "@/lib/features/connections/schema";

/** Returns the kinds of connection that this server offers; they do not change while it runs. */
export function useConnectionTypes() {
  return useQuery({
    queryKey: ["connection-types"],
    queryFn: ({ signal }) => connectionsApi.listTypes(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Returns a function that finds a kind of connection; null until the kinds are known, and for a kind that this server
 * no longer has.
 */
export function useFindType(): (type: string | null | undefined) => ConnectionType | null {
  const { data } = useConnectionTypes();
  return (type) => data?.find((each) => each.type === type) ?? null;
}

/** Returns the SQL dialect of a kind of connection; "standard" until it is known, and for kinds without SQL. */
export function useDialect(type: string | null | undefined): SqlDialect {
  return useFindType()(type)?.dialect ?? "standard";
}

/** Returns the language that splits the kind's console texts into statements. */
export function useScriptLanguage(type: string | null | undefined): SqlDialect | "mongodb" {
  const found = useFindType()(type);
  return found?.language === "mongodb" ? "mongodb" : (found?.dialect ?? "standard");
}

/**
 * Returns a function that gives the engine's display name. A kind that this server no longer has keeps its stored name.
 */
export function useEngineName(): (type: string | null | undefined) => string {
  const { data } = useConnectionTypes();
  return (type) => {
    // While the kinds are loading, an empty text is better than a name that changes on screen.
    if (data === undefined || !type) return "";
    return data.find((each) => each.type === type)?.engineName ?? type;
  };
}
