import { posix } from 'node:path'

/** A page for readers outside the repository: links to its files become absolute, or text if `files` has no URL for them. */
export function withAbsoluteLinks(page: string, folder: string, files: string | undefined): string {
  return page.replaceAll(/\[([^\]]*)\]\((?![a-z]+:|#)([^)]*)\)/g, (_, text: string, target: string) =>
    files ? `[${text}](${files}/${posix.join(folder, target)})` : text,
  )
}
