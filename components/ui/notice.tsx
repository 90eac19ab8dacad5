import { CircleCheck, CircleX, Info, Lock, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import "@/components/ui/page.css";

const ICONS = { info: Info, good: CircleCheck, bad: CircleX, warn: TriangleAlert, locked: Lock } as const;

type NoticeProps = {
  kind: keyof typeof ICONS;
  /** `status` waits its turn, `alert` is read at once; left out for what stands there from the start. */
  role?: "status" | "alert";
  action?: ReactNode;
  children: ReactNode;
};

/** A sentence with a sign: how something ended, or why it cannot be done. */
export function Notice({ kind, role, action, children }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div className={`notice ${kind}`} role={role}>
      <Icon />
      <div className="grow">{children}</div>
      {action}
    </div>
  );
}
