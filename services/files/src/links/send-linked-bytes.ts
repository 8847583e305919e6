import { hash } from 'node:crypto'
import { linkContent, linkedContent } from '@tideport/contracts/public/link-access'
import type { FileCopies } from '@tideport/file-lifecycle/state/file-copies'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { type Exchange, type SendDeps, sendBytes } from '../downloads/send-file.ts'
import type { DownloadCounter } from './count-downloads.ts'
import { findFileOf, isSpent } from './find-link.ts'
import { counted, passCookie, writePass } from './link-cookie.ts'
import { openVisit, passwordRequired, type Visit } from './link-session.ts'

export interface LinkedBytesDeps extends SendDeps {
  downloads: DownloadCounter
  config: Pick<FilesConfig, 'downloadTokenKeys' | 'publicUrl'>
}

interface Asked {
  token: string
  found: FileCopies
  isPreview: boolean
}

/**
 * Counts a download that begins at byte 0 and, for a link with a limit, any other that does not continue a counted one.
 * The count comes before the bytes are opened, and is undone when they cannot be. Never redirects, because that URL
 * would outlive the link.
 */
async function sendLinkedBytes(
  deps: LinkedBytesDeps,
  visit: Visit,
  { token, found, isPreview }: Asked,
  exchange: Exchange,
): Promise<Exchange['reply']> {
  const { link, pass, nowSeconds } = visit
  const { file } = found
  const isBounded = link.maxDownloads !== null
  const mayResume = pass.resumes?.fileId === file.id && pass.resumes.until > nowSeconds
  if (isSpent(link) && !mayResume) throw notFound()
  let isCounted = false
  const beforehand = async (_lengthBytes: number, startByte: number) => {
    if (isBounded ? startByte > 0 && mayResume : startByte > 0 || isPreview) return
    if (!(await deps.downloads.take(link.id))) throw notFound()
    isCounted = true
    if (!isBounded) return
    const { downloadTokenKeys, publicUrl } = deps.config
    const value = writePass(downloadTokenKeys, link.id, counted(pass, file.id, nowSeconds))
    exchange.reply.header('set-cookie', passCookie(value, { publicUrl, token }))
  }
  // Hides the file ID from visitors, because in a public vault the ID also opens the file elsewhere.
  const entityId = hash('sha256', `${link.id} ${file.id}`, 'base64url').slice(0, 22)
  const shown = file.wrappedKey === null ? found : { ...found, file: { ...file, mimeType: 'application/octet-stream' } }
  try {
    return await sendBytes(deps, { found: shown, entityId, cacheControl: 'private, no-store', beforehand }, exchange)
  } catch (error) {
    if (isCounted) await giveBack(deps, link.id)
    exchange.reply.removeHeader('set-cookie')
    if (error instanceof AppError && error.code === 'content_lost') throw notFound()
    throw error
  }
}

/** Best effort: the cause of the first error may also prevent this statement, and the client gets the first error. */
async function giveBack({ downloads, log }: LinkedBytesDeps, linkId: string): Promise<void> {
  await downloads
    .giveBack(linkId)
    .catch((error: unknown) => log.warn({ err: error, linkId }, 'could not restore the download count of a link'))
}

type Input = Pick<RouteInput<typeof linkContent>, 'params' | 'query' | 'request' | 'reply'>

export function linkContentRoute(deps: LinkedBytesDeps) {
  return serve(linkContent, (input) => send(deps, input, null))
}

export function linkedContentRoute(deps: LinkedBytesDeps) {
  return serve(linkedContent, (input) => send(deps, input, input.params.path))
}

function send(deps: LinkedBytesDeps, { params: { token }, query, request, reply }: Input, path: string | null) {
  return openVisit(deps, token, { request, reply }, async (visit) => {
    if (visit.isLocked) {
      if (!isForPeople(request)) throw passwordRequired()
      const up = '../'.repeat(path === null ? 1 : depthOf(request.url))
      return reply.code(303).header('location', `${up}${token}`).send()
    }
    const found = await findFileOf(deps.db, visit.link, path)
    if (found === null) throw notFound()
    return await sendLinkedBytes(
      deps,
      visit,
      { token, found, isPreview: query.preview !== undefined },
      { request, reply },
    )
  })
}

function depthOf(url: string): number {
  const [path = ''] = url.split('?')
  return path.split('/').length - 3
}
