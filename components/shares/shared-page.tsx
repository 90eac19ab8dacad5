"use client";

import type { ReactNode } from "react";
import { LiveRegion } from "@/components/ui/live-region";
import { Wheel } from "@/components/ui/wheel";
import { ApiError } from "@/lib/platform/browser/request";
import "./shared-page.css";

/** The page of a link, which is opened by people who need no account. */
export function SharedPage({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={className === undefined ? "shared" : `shared ${className}`}>
      {children}
      <footer className="shared-foot xs t3">
        <Wheel />
        Made with Millrace
      </footer>
      <LiveRegion />
    </div>
  );
}

/** Whether its password has changed, or was never entered here. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
