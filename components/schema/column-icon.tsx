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

/** Icon of a column: its type, or its key. */
export function ColumnIcon({ type, isKey = false }: { type: string; isKey?: boolean }) {
  const Icon = isKey ? KeyRound : ICONS[toColumnKind(type)];
  return <Icon />;
}
