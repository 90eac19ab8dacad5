/**
 * Version of the documents in the store. It rises when an older Millrace would misread or damage what this one writes;
 * each rise has a migration in lib/features/instance/schema-migrations.ts.
 */
export const SCHEMA_VERSION = 6;
