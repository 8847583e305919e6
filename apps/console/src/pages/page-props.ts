/** The parameters of the page's path, decoded. */
export interface PageProps {
  params: Record<string, string | undefined>
}
