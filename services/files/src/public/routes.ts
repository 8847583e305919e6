import { orderOf } from '@tideport/contracts/public/paths'
import { publicBlobBytes, publicContent, publicFileBytes, publicVault } from '@tideport/contracts/public/public-access'
import type { SeenCopies } from '@tideport/file-lifecycle/state/file-copies'
import { isBelow } from '@tideport/file-lifecycle/state/queries'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { type ShowDeps, showFiles, toPublicFile } from '@tideport/file-lifecycle/views/file-views'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { sql } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { mayPresign, presignHotUrl } from '../downloads/download-target.ts'
import { type Exchange, type SendDeps, sendBytes } from '../downloads/send-file.ts'
import { scanFiles } from '../lists/bounded-scan.ts'
import { readPage } from '../lists/list-page.ts'
import { readFolders } from '../lists/read-folders.ts'
import { findPublicVault, isIn } from '../lookups/authorized-vault.ts'
import { findPublicBlob, findPublicFile, findPublicPath, isShown } from '../lookups/find-file.ts'

interface ReadDeps extends SendDeps {
  hotTier: HotTier
  config: Pick<FilesConfig, 'publicReads' | 'downloadUrlSeconds'>
}

/** Reads without credentials. `GET` includes `HEAD`. */
export function publicRoutes(deps: ReadDeps & ShowDeps) {
  const { db } = deps
  return {
    publicVault: publicVaultRoute(deps),
    publicFileBytes: serve(publicFileBytes, async ({ params: { fileId }, ...exchange }) =>
      send(deps, await findPublicFile(db, fileId), exchange),
    ),
    // Only the rows are searched. No network receives a request for an unknown ID.
    publicBlobBytes: serve(publicBlobBytes, async ({ params: { blobId }, ...exchange }) =>
      send(deps, await findPublicBlob(db, blobId), exchange, blobId),
    ),
    publicContent: serve(publicContent, async ({ params, ...exchange }) =>
      send(deps, await findPublicPath(db, params), exchange),
    ),
  } satisfies Partial<RoutesOf<'files'>>
}

/**
 * Lost bytes return the same 404 as a missing file. With `PUBLIC_READS=redirect` a GET of a hot file is redirected, but
 * not a HEAD, which a presigned GET refuses, and no request whose condition the store would compare with other values.
 */
async function send(
  deps: ReadDeps,
  found: SeenCopies | null,
  { request, reply }: Exchange,
  entityId?: string,
): Promise<Exchange['reply']> {
  if (found === null) throw notFound()
  const { 'if-match': ifMatch, 'if-unmodified-since': since } = request.headers
  const isPlain = request.method === 'GET' && ifMatch === undefined && since === undefined
  const mayRedirect = deps.config.publicReads === 'redirect' && isPlain
  if (mayRedirect && mayPresign(found.file)) {
    const hotUrl = await presignHotUrl(deps.hotTier, { ...found.file, seenAt: found.seenAt }, deps.config)
    return reply.header('cache-control', 'no-store').redirect(hotUrl, 302)
  }
  const sent = { found, entityId: entityId ?? found.file.id, cacheControl: 'public, max-age=60' }
  try {
    return await sendBytes(deps, sent, { request, reply })
  } catch (error) {
    if (error instanceof AppError && error.code === 'content_lost') throw notFound()
    throw error
  }
}

/** `GET /api/public/vaults/:userId/:vaultSlug`. A private vault returns the same 404 as a missing vault. */
function publicVaultRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(publicVault, async ({ params: { userId, vaultSlug }, query, charge }) => {
    const vault = await findPublicVault(db, userId, vaultSlug)
    if (vault === null) throw notFound()
    const { id, name, description, slug } = vault
    const { cursor, limit, prefix, delimiter } = query
    const page = { cursor, limit, ...orderOf(query) }
    const named = { reader: 'anyone', list: 'public vault', userId, vaultSlug, prefix }
    const read = async () => {
      if (delimiter !== undefined) {
        return await readFolders(db, {
          page,
          named,
          vault,
          prefix,
          isWanted: isShown,
          isKeptSeen: sql`true`,
          charge,
        })
      }
      const isPlaced = prefix === undefined ? sql`true` : isBelow(prefix)
      const inOrder = page.sortBy === 'path' ? isPlaced : sql`true`
      const walk = {
        lanes: [{ where: sql`${isIn(vault)} and deleted_at is null and purging_at is null and ${inOrder}` }],
        isWanted: sql`${isShown} and ${isPlaced}`,
      }
      return await readPage<FileRow>(db, page, named, (keyset) => scanFiles(walk, keyset))
    }
    const { rows, ...others } = await read()
    return { vault: { id, name, description, slug }, files: await showFiles(shown, rows, toPublicFile), ...others }
  })
}
