import { Database } from "lucide-react";
import { useFindType } from "@/components/connections/use-connection-types";

/** Icon of a kind of connection. A kind that is not known yet, or no longer, has a general icon. */
export function TypeIcon({ type }: { type: string | undefined }) {
  const icon = useFindType()(type)?.icon;
  if (!icon) return <Database />;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width="24"
      height="24"
      viewBox="0 0 24 24"
      className="lucide"
      aria-hidden="true"
    >
      <rect x="1" y="1" width="22" height="22" rx="5.5" fill={icon.tile} stroke="none" />
      <g fill="none" stroke={icon.ink} strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round">
        {icon.paths.map((path) => (
          <path key={path} d={path} />
        ))}
      </g>
    </svg>
  );
}
