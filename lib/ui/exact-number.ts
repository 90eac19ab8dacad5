export * from "@/lib/text/exact-number";
