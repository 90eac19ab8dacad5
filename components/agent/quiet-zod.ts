/** Read by zod when it is loaded (sdk.ts). */
(globalThis as { __zod_globalConfig?: { jitless?: boolean } }).__zod_globalConfig = { jitless: true };
