/** What a page's path says, decoded. */
export interface PageProps {
  params: Record<string, string | undefined>
}
