// A gigabyte of lines, as fast as anybody takes them.
const lines = Buffer.alloc(1024 * 1024, "this goes on and on\n");
for (let n = 0; n < 1024; n++) process.stdout.write(lines);
setInterval(() => {}, 1000);
