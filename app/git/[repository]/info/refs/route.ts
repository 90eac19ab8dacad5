export { getInfoRefs as GET } from "@/lib/git/service";
