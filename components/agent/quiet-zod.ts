/*
 * The ai SDK checks what comes by zod, which tries whether it may compile code. The pages' policy forbids that, and the
 * browser would report each try. zod reads this when it is loaded, so this file comes before the SDK.
 */
(globalThis as { __zod_globalConfig?: { jitless?: boolean } }).__zod_globalConfig = { jitless: true };
