"use client";

import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { Menu } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";

type Problem = {
  /** The error message from its source; a few lines of it are shown. */
  text: string;
  /** Action that fixes it. */
  action: ReactNode;
};
type ListRowProps = {
  /** Name of the object. */
  name: string;
  /** Path where it is renamed; null if the user may not. */
  renamePath: string | null;
  /** Number of columns of the list. */
  columns: number;
  problem: Problem | null;
  /** The most frequent action, beside the menu. */
  action: ReactNode;
  /** Menu items. */
  menu: ReactNode;
  /** All cells except the last. */
  children: ReactNode;
};

/** One item of a list with its actions, and below it the reason if it fails. */
export function ListRow({ name, renamePath, columns, problem, action, menu, children }: ListRowProps) {
  return (
    <>
      <tr className={problem === null ? undefined : "has-sub"} data-rename={renamePath ?? undefined}>
        {children}
        <td className="r">
          <span className="acts">
            {action}
            <Menu
              align="end"
              trigger={
                <button type="button" className="btn ghost icon sm" aria-label={`Actions for ${name}`}>
                  <Ellipsis className="s" />
                </button>
              }
            >
              {menu}
            </Menu>
          </span>
        </td>
      </tr>
      {problem !== null && (
        <tr className="sub">
          <td colSpan={columns}>
            <Notice kind="bad" action={problem.action}>
              <span className="sub-problem" title={problem.text}>
                {problem.text}
              </span>
            </Notice>
          </td>
        </tr>
      )}
    </>
  );
}
