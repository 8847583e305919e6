import type { SeenCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { mayPresign, presignHotUrl } from './hot-url.ts'
import { type Exchange, type SendDeps, sendBytes } from './send-bytes.ts'

export interface PublicReadDeps extends SendDeps {
  hotTier: HotTier
  config: Pick<FilesConfig, 'publicReads' | 'downloadUrlSeconds'>
}

/**
 * Answers anyone with the bytes of a file in a public vault; bytes that are lost are the one 404 that tells nothing.
 * With `PUBLIC_READS=redirect` a GET of a hot file is sent to the object storage; a presigned GET would refuse a HEAD.
 */
export async function sendPublicBytes(
  deps: PublicReadDeps,
  { found, entityId }: { found: SeenCopies; entityId: string },
  exchange: Exchange,
): Promise<Exchange['reply']> {
  const { request, reply } = exchange
  const mayRedirect = deps.config.publicReads === 'redirect' && request.method === 'GET'
  if (mayRedirect && mayPresign(found.file)) {
    const hotUrl = await presignHotUrl(deps.hotTier, { ...found.file, seenAt: found.seenAt }, deps.config)
    return reply.header('cache-control', 'no-store').redirect(hotUrl, 302)
  }
  try {
    return await sendBytes(deps, { found, entityId, cacheControl: 'public, max-age=60' }, exchange)
  } catch (error) {
    if (error instanceof AppError && error.code === 'content_lost') throw notFound()
    throw error
  }
}
