/** As the server takes it: some browsers make a host of any text. */
const HOST = /^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?$/;

/** Where a site is, as browsers compare it; null for what is no address of one. A host alone is meant with https. */
export function toOrigin(typed: string): string | null {
  const text = typed.trim().replace(/,$/, "");
  try {
    const { protocol, origin } = new URL(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `https://${text}`);
    return (protocol === "https:" || protocol === "http:") && HOST.test(origin) ? origin : null;
  } catch {
    return null;
  }
}

/** What is put into another page to show a shared one in it. */
export function toEmbedCode({ url, title }: { url: string; title: string }): string {
  return `<iframe src="${toAttribute(url)}" title="${toAttribute(title)}" width="100%" height="800" style="border:0" loading="lazy"></iframe>`;
}

function toAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
