import type { ReactNode } from "react";
import { ShowExplorer } from "@/components/layout/show-explorer";
import "@/components/ui/page.css";

type PageProps = {
  title: ReactNode;
  /** Number of items, next to the title. */
  count?: number;
  /** Breadcrumbs above the title. */
  trail?: ReactNode;
  actions?: ReactNode;
  /**
   * Whether the page uses the whole width, as for lists. Forms and settings stop at 960 px (docs/develop/design.md,
   * Layout).
   */
  isWide?: boolean;
  children: ReactNode;
};

/** A view without tabs: a title, its actions, and the scrolling content below. */
export function Page({ title, count, trail, actions, isWide = false, children }: PageProps) {
  return (
    <main className={isWide ? "page" : "page narrow"} aria-labelledby="page-title">
      <div className="page-in">
        <div className="phead">
          <ShowExplorer />
          <div className="phead-title">
            {trail && <div className="row xs t3 phead-trail">{trail}</div>}
            <div className="row phead-name">
              <h1 id="page-title">{title}</h1>
              {count !== undefined && <span className="t3 num">{count}</span>}
            </div>
          </div>
          <span className="grow" />
          {actions}
        </div>
        {children}
      </div>
    </main>
  );
}
