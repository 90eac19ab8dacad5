export const EXAMPLE_LANGUAGES = ["curl", "JavaScript", "Python"] as const;
export type ExampleLanguage = (typeof EXAMPLE_LANGUAGES)[number];

/** Returns a first request to paste: it counts the rows of a table over the API. */
export function toExample(language: ExampleLanguage, origin: string, connectionId: string): string {
  const url = `${origin}/api/execute`;
  if (language === "curl") {
    return [
      `curl ${url} \\`,
      '  -H "Authorization: Bearer mr_..." -H "Content-Type: application/json" \\',
      `  -d '{"connectionId": "${connectionId}", "query": "select 1 as one"}'`,
    ].join("\n");
  }
  if (language === "JavaScript") {
    return [
      `const response = await fetch("${url}", {`,
      '  method: "POST",',
      '  headers: { Authorization: "Bearer mr_...", "Content-Type": "application/json" },',
      `  body: JSON.stringify({ connectionId: "${connectionId}", query: "select 1 as one" }),`,
      "});",
      "const { success, data, error } = await response.json();",
    ].join("\n");
  }
  return [
    "import requests",
    "",
    "answer = requests.post(",
    `    "${url}",`,
    '    headers={"Authorization": "Bearer mr_..."},',
    `    json={"connectionId": "${connectionId}", "query": "select 1 as one"},`,
    ").json()",
  ].join("\n");
}
