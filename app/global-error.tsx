"use client";

import "./globals.css";

export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en" data-theme="light" suppressHydrationWarning>
      <head>
        <title>Stopped working - Millrace</title>
      </head>
      <body>
        <main className="lone">
          <div className="card empty">
            <h1>Millrace stopped working</h1>
            <p>What you typed in consoles is kept in this browser. Load the page again.</p>
            <div className="row">
              <button type="button" className="btn primary" onClick={reset}>
                Load the page again
              </button>
            </div>
          </div>
        </main>
      </body>
    </html>
  );
}
