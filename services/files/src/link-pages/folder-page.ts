import { type Html, html, sizeText } from './html.ts'
import { pageOf } from './layout.ts'
import { type Terms, termsHtml } from './terms.ts'

interface ShownFolder extends Terms {
  name: string
  /** Relative to the page. */
  token: string
  path: string
  /** Complete paths, like `path`. */
  folders: readonly { path: string }[]
  files: readonly { path: string; sizeBytes: number }[]
  nextCursor: string | null
}

export function folderPage(folder: ShownFolder): string {
  const { name, path, folders, files, nextCursor, token } = folder
  const title = path === '' ? name : (path.split('/').at(-2) ?? name)
  const isEmpty = folders.length + files.length === 0
  const list = html`<ul>
${folders.map((below) => html`<li><a href="${folderUrl(token, below.path)}"><bdi>${lastOf(below.path)}/</bdi></a></li>\n`)}
${files.map((file) => html`<li><a href="${contentUrl(token, file.path)}"><bdi>${lastOf(file.path)}</bdi></a><span class="soft">${sizeText(file.sizeBytes)}</span></li>\n`)}
</ul>`
  return pageOf(
    title,
    html`${path === '' ? null : html`<nav>${crumbs(folder)}</nav>`}
<h1><bdi>${title}</bdi></h1>
${isEmpty ? html`<p class="soft">${nextCursor === null ? 'This folder is empty.' : 'This page is empty. The next page may have more files.'}</p>` : list}
${nextCursor === null ? null : html`<p><a href="${folderUrl(token, path, nextCursor)}">More</a></p>`}
${termsHtml(folder)}`,
  )
}

function crumbs({ name, token, path }: ShownFolder): Html[] {
  const parts = path.split('/').slice(0, -2)
  const above = parts.map((part, index) => ({ name: part, path: `${parts.slice(0, index + 1).join('/')}/` }))
  return [{ name, path: '' }, ...above].map(
    (one) => html`<a href="${folderUrl(token, one.path)}"><bdi>${one.name}</bdi></a> / `,
  )
}

const lastOf = (path: string) => path.split('/').findLast((part) => part !== '') ?? path

function folderUrl(token: string, path: string, cursor?: string): string {
  const query = new URLSearchParams({ ...(path !== '' && { path }), ...(cursor !== undefined && { cursor }) })
  return query.size > 0 ? `${token}?${query}` : token
}

const contentUrl = (token: string, path: string) =>
  `${token}/content/${path.split('/').map(encodeURIComponent).join('/')}`
