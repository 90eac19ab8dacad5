"use client";

import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { Menu } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";

type Problem = {
  /** What is wrong, in the words of whoever refused: a few lines of it are shown. */
  text: string;
  /** What to do about it. */
  action: ReactNode;
};
type ListRowProps = {
  /** What it stands for. */
  name: string;
  /** Where that is given another name; null for who may not. */
  renamePath: string | null;
  /** How many columns the list has. */
  columns: number;
  problem: Problem | null;
  /** What is done most, beside the menu. */
  action: ReactNode;
  /** Items of the menu. */
  menu: ReactNode;
  /** All cells but the last. */
  children: ReactNode;
};

/** One thing of a list with what can be done with it, and below it why it fails. */
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
                <button type="button" className="btn ghost icon sm" aria-label={`More about ${name}`}>
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
