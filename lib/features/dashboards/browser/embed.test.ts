import { expect, test } from "vitest";
import { toEmbedCode, toOrigin } from "./embed";

test("accepts an address as its site, a host with https, and rejects the rest", () => {
  expect(toOrigin(" https://Wiki.Example.com/page?a=1 ")).toBe("https://wiki.example.com");
  expect(toOrigin("wiki.example.com:8443")).toBe("https://wiki.example.com:8443");
  expect(toOrigin("http://localhost:3000,")).toBe("http://localhost:3000");
  for (const none of ["", "javascript:alert(1)//", "ftp://example.com", "a b", "data://x"])
    expect(toOrigin(none)).toBeNull();
});

test("escapes a title in the frame's code", () => {
  expect(toEmbedCode({ url: "https://a.example/share/x?b=1&c=2", title: `"><script>` })).toBe(
    `<iframe src="https://a.example/share/x?b=1&amp;c=2" title="&quot;&gt;&lt;script&gt;" width="100%" height="800" style="border:0" loading="lazy"></iframe>`,
  );
});
