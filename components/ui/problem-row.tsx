import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice";

type ProblemRowProps = {
  /** Columns of the list. */
  columns: number;
  /** What to do about it. */
  action: ReactNode;
  /** What is wrong, in the words of whoever refused: a few lines of it are shown. */
  children: string;
};

/** Below a row of a list, why what it stands for fails. */
export function ProblemRow({ columns, action, children }: ProblemRowProps) {
  return (
    <tr className="sub">
      <td colSpan={columns}>
        <Notice kind="bad" action={action}>
          <span className="sub-problem" title={children}>
            {children}
          </span>
        </Notice>
      </td>
    </tr>
  );
}
