import type { ReactNode } from "react";
import { RaceArt } from "@/components/auth/race-art";
import { Wheel } from "@/components/ui/wheel";
import "./auth.css";

/** The frame of sign in and register. */
export function AuthFrame({ children }: { children: ReactNode }) {
  return (
    <div className="auth">
      <aside className="auth-art" aria-label="Millrace">
        <RaceArt />
        <div className="auth-brand">
          <Wheel />
          Millrace
        </div>
        <div className="auth-words">
          <h2>Put your data to work, together.</h2>
          <p>Query, chart and share data in one workspace.</p>
        </div>
      </aside>
      <main className="auth-main">
        <div className="auth-box">
          <div className="auth-small" aria-hidden="true">
            <Wheel />
            Millrace
          </div>
          {children}
        </div>
      </main>
    </div>
  );
}
