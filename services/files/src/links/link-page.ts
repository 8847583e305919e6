import { linkPage } from '@tideport/contracts/public/link-access'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { filePage } from '../link-pages/file-page.ts'
import { folderPage } from '../link-pages/folder-page.ts'
import { lockedPage } from '../link-pages/locked-page.ts'
import { uploadPage } from '../link-pages/upload-page.ts'
import { readFolders } from '../lists/read-folders.ts'
import { vaultOfLink } from '../lookups/authorized-vault.ts'
import { isShown } from '../lookups/find-file.ts'
import { findFileOf, isForUploads, isSpent, type SeenLink } from './find-link.ts'
import { isForJson, openVisit, passwordRequired, sendPage, type VisitDeps } from './link-session.ts'
import { nameOfFolder, type OpenedLink, toLinkedFile, toReceiving, toTerms } from './link-views.ts'

type Input = RouteInput<typeof linkPage>

/** `GET /s/:token`: a page, or the same data for clients that accept JSON and not HTML. */
export function linkPageRoute(deps: VisitDeps) {
  return serve(linkPage, (input) => {
    const { request, reply, query } = input
    const { token } = input.params
    const isJson = isForJson(request)
    return openVisit(deps, token, { request, reply }, async ({ link, isLocked }) => {
      if (isSpent(link)) throw notFound()
      if (isLocked && isJson) throw passwordRequired()
      if (isLocked) return sendPage(reply, lockedPage(token))
      const path = query.path ?? ''
      if (isForUploads(link) && path !== '') throw notFound()
      const opened = isForUploads(link)
        ? toReceiving(link)
        : link.fileId === null
          ? await openFolder(deps, link, path, input)
          : await openFile(deps, link, path)
      if (isJson) {
        const schema = linkPage.success.orJson
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(schema.parse(opened)))
      }
      if (opened.takes !== null)
        return sendPage(reply, uploadPage({ ...opened, takes: opened.takes, token, received: null }))
      const [file] = opened.files
      const isFile = link.fileId !== null && file !== undefined
      const page = isFile
        ? filePage({ ...opened, ...file, contentUrl: `${token}/content` })
        : folderPage({ ...opened, token, path })
      return sendPage(reply, page)
    })
  })
}

async function openFile({ db }: VisitDeps, link: SeenLink, path: string): Promise<OpenedLink> {
  const found = path === '' ? await findFileOf(db, link, null) : null
  if (found === null) throw notFound()
  const { file } = found
  return {
    kind: 'file',
    name: file.name,
    isEncrypted: file.wrappedKey !== null,
    ...toTerms(link),
    files: [toLinkedFile(file, file.name)],
    folders: [],
    nextCursor: null,
  }
}

async function openFolder(
  { db }: VisitDeps,
  link: SeenLink,
  path: string,
  { query, charge }: Input,
): Promise<OpenedLink> {
  const page = await readFolder(db, link, { path, cursor: query.cursor, limit: query.limit, charge })
  return { kind: 'folder', name: nameOfFolder(link), ...toTerms(link), ...page }
}

interface Asked {
  path: string
  cursor: string | undefined
  limit: number
  charge: (requests: number) => void
}

/** Paths are relative to the link's folder. Throws 404 for an invalid folder name. An unknown folder is empty. */
async function readFolder(
  db: Kysely<FilesDb>,
  link: SeenLink,
  { path, cursor, limit, charge }: Asked,
): Promise<Pick<OpenedLink, 'files' | 'folders' | 'nextCursor' | 'isEncrypted'>> {
  const { id, prefix, vaultVisibility } = link
  const isFolder = path === '' || (path.endsWith('/') && !path.startsWith('/') && !path.includes('\0'))
  if (prefix === null || isForUploads(link) || !isFolder) throw notFound()
  const { rows, folders, nextCursor } = await readFolders(db, {
    page: { cursor, limit, order: 'asc' },
    named: { reader: id, list: 'link', path },
    vault: vaultOfLink(link),
    prefix: prefix + path,
    isWanted: isShown,
    isKeptSeen: sql`true`,
    charge,
  })
  const below = (text: string) => text.slice(prefix.length)
  return {
    isEncrypted: vaultVisibility === 'private',
    files: rows.map((file) => toLinkedFile(file, below(file.path))),
    folders: folders.map((folder) => ({ path: below(folder.path) })),
    nextCursor,
  }
}
