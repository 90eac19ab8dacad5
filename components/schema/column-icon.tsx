import { Binary, Braces, Calendar, Hash, KeyRound, type LucideIcon, Shapes, ToggleLeft, Type } from "lucide-react";
import { type ColumnKind, toColumnKind } from "@/lib/base/values/column-kind";

const ICONS: Record<ColumnKind, LucideIcon> = {
  text: Type,
  number: Hash,
  time: Calendar,
  boolean: ToggleLeft,
  json: Braces,
  binary: Binary,
  other: Shapes,
};

/** The sign in front of a column: what it holds, or that it is the key. */
export function ColumnIcon({ type, isKey = false }: { type: string; isKey?: boolean }) {
  const Icon = isKey ? KeyRound : ICONS[toColumnKind(type)];
  return <Icon />;
}
