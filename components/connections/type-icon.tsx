import { Database, Globe } from "lucide-react";
import type { ConnectionType } from "@/lib/features/connections/schema";

/** Icon of a kind of connection. @param icon paths of an SVG; default: the icon of its category */
export function TypeIcon({ icon, category }: Pick<ConnectionType, "icon" | "category">) {
  if (icon === undefined) return category === "database" ? <Database /> : <Globe />;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width="24"
      height="24"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      className="lucide"
      aria-hidden="true"
    >
      {icon.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
