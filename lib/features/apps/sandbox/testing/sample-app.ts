/** A small app as most are: a page, React and a style. */
export const SAMPLE_APP = {
  "index.html": `<!doctype html>
<html lang="en"><head><title>Orders</title></head><body><div id="root"></div><script type="module" src="/src/main.tsx"></script></body></html>
`,
  "src/main.tsx": `import { createRoot } from "react-dom/client";
import { App } from "./app";
import "./style.css";
createRoot(document.getElementById("root")!).render(<App />);
`,
  "src/app.tsx": `import { useState } from "react";
export function App(): JSX.Element {
  const [count, setCount] = useState<number>(0);
  return <button onClick={() => setCount(count + 1)}>pressed {count} times</button>;
}
`,
  "src/style.css": "button { color: rebeccapurple }\n",
} as const;

/** Files as a sandbox takes them. */
export function toFiles(files: Record<string, string | Buffer>): Map<string, Buffer> {
  return new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
}
