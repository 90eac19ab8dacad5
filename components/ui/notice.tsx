import { CircleCheck, CircleX, Info, Lock, TriangleAlert } from "lucide-react";
import type { ReactNode, Ref } from "react";
import "@/components/ui/page.css";

const ICONS = { info: Info, good: CircleCheck, bad: CircleX, warn: TriangleAlert, locked: Lock } as const;

type NoticeProps = {
  kind: keyof typeof ICONS;
  /** `status` is announced politely, `alert` at once; undefined for a notice that is shown from the start. */
  role?: "status" | "alert";
  action?: ReactNode;
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
};

/** A sentence with an icon: an outcome, or the reason why something is not possible. */
export function Notice({ kind, role, action, ref, children }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div ref={ref} className={`notice ${kind}`} role={role}>
      <Icon />
      <div className="grow">{children}</div>
      {action}
    </div>
  );
}
