"use client";

import type { ReactNode } from "react";
import { LiveRegion } from "@/components/ui/live-region";
import { Wheel } from "@/components/ui/wheel";
import { ApiError } from "@/lib/platform/browser/request";
import "./shared-page.css";

/** Page of a share link, for visitors without an account. */
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

/** Returns whether the share's password has changed, or was never entered here. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
