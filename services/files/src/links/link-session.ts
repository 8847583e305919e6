import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { toErrorReply } from '@tideport/service-kit/http/error-reply'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import type { RouteInput } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { failurePage, pageHeaders } from '../link-pages/layout.ts'
import { findLink, type SeenLink } from './find-link.ts'
import { type Pass, readPass } from './link-cookie.ts'

export interface VisitDeps {
  db: Kysely<FilesDb>
  config: Pick<FilesConfig, 'downloadTokenKeys' | 'publicUrl'>
}

export interface Visit {
  link: SeenLink
  pass: Pass
  nowSeconds: number
  /** The link requires a password, and the visitor has not entered it recently. */
  isLocked: boolean
}

type Exchange = Pick<RouteInput, 'request' | 'reply'>

/**
 * Headers of all responses below a link: the URL is not sent as a referrer, and the response is not cached or indexed.
 */
const headers = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'Accept, Cookie',
}

/** Throws the same 404 for every token without an open link. */
export async function visitOf({ db, config }: VisitDeps, token: string, { request, reply }: Exchange): Promise<Visit> {
  reply.headers(headers)
  const link = await findLink(db, token)
  if (link === null) throw notFound()
  const nowSeconds = Math.floor(link.seenAt.getTime() / 1000)
  const pass = readPass(config.downloadTokenKeys, link.id, request.headers.cookie)
  const isLocked = link.passwordHash !== null && pass.unlockedUntil <= nowSeconds
  return { link, pass, nowSeconds, isLocked }
}

/** Handles a request of a visitor. Browsers get errors as a page. */
export async function openVisit(
  deps: VisitDeps,
  token: string,
  exchange: Exchange,
  answer: (visit: Visit) => Promise<Exchange['reply']>,
): Promise<Exchange['reply']> {
  const { request, reply } = exchange
  try {
    return await answer(await visitOf(deps, token, exchange))
  } catch (error) {
    if (!(error instanceof AppError) || !isForPeople(request)) throw error
    const { status, headers: more } = toErrorReply(error)
    return sendPage(reply.code(status).headers(more), failurePage(error))
  }
}

export function isForJson(request: Exchange['request']): boolean {
  return /\bapplication\/json\b/i.test(request.headers.accept ?? '') && !isForPeople(request)
}

export function sendPage(reply: Exchange['reply'], page: string): Exchange['reply'] {
  return reply.headers(pageHeaders).type('text/html; charset=utf-8').send(page)
}

export function passwordRequired(): AppError {
  return new AppError('password_required', 'This link requires a password')
}
