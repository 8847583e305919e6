import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { readFolders } from '../lists/read-folders.ts'
import { isShown } from '../lookups/find-file.ts'
import { vaultOfLink } from '../lookups/seen-vault.ts'
import { isForUploads, type SeenLink } from './find-link.ts'
import { type OpenedLink, toLinkedFile } from './link-views.ts'

interface Asked {
  path: string
  cursor: string | undefined
  limit: number
  charge: (requests: number) => void
}

/** Paths are relative to the link's folder. Throws 404 for an invalid folder name; an unknown folder is empty. */
export async function readFolder(
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
