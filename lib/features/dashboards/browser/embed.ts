/** Same pattern as on the server: some browsers accept any text as a host. */
const HOST = /^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?$/;

/** Returns the origin of a site as browsers compare it; null for an invalid address. A bare host gets https. */
export function toOrigin(typed: string): string | null {
  const text = typed.trim().replace(/,$/, "");
  try {
    const { protocol, origin } = new URL(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `https://${text}`);
    return (protocol === "https:" || protocol === "http:") && HOST.test(origin) ? origin : null;
  } catch {
    return null;
  }
}

/** Returns the HTML that embeds a shared page. */
export function toEmbedCode({ url, title }: { url: string; title: string }): string {
  return `<iframe src="${toAttribute(url)}" title="${toAttribute(title)}" width="100%" height="800" style="border:0" loading="lazy"></iframe>`;
}

function toAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
