export { getInfoRefs as GET } from "@/lib/features/repository/git/service";
