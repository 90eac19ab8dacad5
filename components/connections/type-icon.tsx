import { Braces, CreditCard, Database, File, Globe, type LucideIcon } from "lucide-react";

/** Kinds whose data is not what their category suggests. */
const OWN_ICONS: Record<string, LucideIcon> = { mongodb: Braces, stripe: CreditCard, sqlite: File };

/** The sign of a kind of connection. */
export function TypeIcon({ type, category }: { type: string; category: "database" | "source" }) {
  const Icon = OWN_ICONS[type] ?? (category === "database" ? Database : Globe);
  return <Icon />;
}
