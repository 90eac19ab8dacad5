/** Returns a connection's address in one line: the host with its port and database, the file, or the base URL. */
export function toAddress(config: Record<string, unknown>): string {
  if (config.sample === true) return "sample data";
  const text = (name: string) => (typeof config[name] === "string" ? (config[name] as string).trim() : "");
  const file = text("file");
  if (file !== "") return file;
  const baseUrl = text("baseUrl") || text("url") || text("endpoint");
  if (baseUrl !== "") return baseUrl.replace(/^https?:\/\//, "").replace(/\/$/, "");
  const database = text("database");
  const host = text("host");
  if (host === "") return database;
  const port = typeof config.port === "number" || typeof config.port === "string" ? `:${config.port}` : "";
  return `${host}${port === ":" ? "" : port}${database === "" ? "" : `/${database}`}`;
}
