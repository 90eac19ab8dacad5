"use client";

import "./globals.css";

export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en" data-theme="light" suppressHydrationWarning>
      <head>
        <title>Error - Millrace</title>
      </head>
      <body>
        <main className="lone">
          <div className="card empty">
            <h1>Something went wrong</h1>
            <p>Your drafts are kept. Reload the page.</p>
            <div className="row">
              <button type="button" className="btn primary" onClick={reset}>
                Reload page
              </button>
            </div>
          </div>
        </main>
      </body>
    </html>
  );
}
