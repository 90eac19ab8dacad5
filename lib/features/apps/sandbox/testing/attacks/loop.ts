// Never ends, and never listens.
for (;;);
