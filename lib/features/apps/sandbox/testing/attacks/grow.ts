// Memory that counts: each page is touched.
const kept: Buffer[] = [];
setInterval(() => kept.push(Buffer.alloc(256 * 1024 * 1024, 1)), 20);
