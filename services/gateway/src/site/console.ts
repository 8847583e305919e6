import { isKnown } from '@tideport/service-kit/http/entity-tag'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import { notFound, unavailable } from '@tideport/service-kit/process/app-error'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission } from '../limits/admission.ts'
import { type BuiltFile, type ConsoleFiles, openConsoleFiles, tagOf } from './console-files.ts'
import { pagePolicy } from './page-policy.ts'
import type { SignIn } from './sign-in.ts'

interface ConsoleDeps {
  admission: Admission
  publicUrl: string | undefined
  consoleDir: string | undefined
  signIn: SignIn
  consoleConnectOrigins: readonly string[]
  identityProviderIssuer: string | undefined
}

/** Deeper paths get 404; no page is that deep. */
const depthMax = 64

/** Routes console paths that cannot be decoded to the console too, which reports that the page does not exist. */
export function routable(url: string): string {
  if (!url.startsWith('/console/')) return url
  try {
    decodeURIComponent(pathOf(url))
    return url
  } catch {
    return url.replaceAll('%', '%25')
  }
}

/** `GET /console` and all paths below. The page is public; users sign in on it. */
export function addConsole(app: FastifyInstance, deps: ConsoleDeps): void {
  const { admission, consoleDir } = deps
  if (consoleDir === undefined) return
  const files = openConsoleFiles(consoleDir)
  const head = headOf(deps)
  const headers = headersOf(deps)
  const route = { method: ['GET', 'HEAD'], onRequest: admission.admitAnyone }
  app.route({
    ...route,
    url: '/',
    handler: async (request, reply) => {
      if (!isForPeople(request)) throw notFound()
      // Relative, because a proxy may add a path prefix.
      return reply.header('vary', 'accept').redirect('console', 302)
    },
  })
  app.route({
    ...route,
    url: '/console/assets/*',
    handler: async (request, reply) => {
      const file = files.find(`assets/${(request.params as { '*': string })['*']}`)
      if (file === undefined) throw notFound()
      return sendAsset(request, reply.headers(headers), file)
    },
  })
  for (const url of ['/console', '/console/*']) {
    app.route({ ...route, url, handler: (request, reply) => sendPage(request, reply.headers(headers), files, head) })
  }
  for (const url of ['/console', '/console/*', '/console/assets/*']) refuseOtherMethods(app, url, ['GET', 'HEAD'])
}

/** All paths return the same page. Its `<base>` is relative, so it works below any path prefix of a proxy. */
async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  files: ConsoleFiles,
  head: string,
): Promise<FastifyReply> {
  const index = await files.readIndex()
  if (index === null) throw unavailable('The console has not been built yet')
  const depth = pathOf(request.url).split('/').length - 3
  if (depth > depthMax) throw notFound()
  const base = depth < 0 ? 'console/' : `./${'../'.repeat(depth)}`
  const page = index.replace('<head>', `<head><base href="${base}">${head}`)
  const etag = tagOf(page)
  reply.headers({ etag, 'cache-control': 'no-cache' })
  return isKnown(etag, request.headers['if-none-match'] ?? '')
    ? reply.code(304).send()
    : reply.type('text/html; charset=utf-8').send(page)
}

/** Saves the page's first requests: includes the sign-in settings and preconnects to the identity provider. */
function headOf({ signIn, identityProviderIssuer }: ConsoleDeps): string {
  const meta = `<meta name="tideport-sign-in" content="${attribute(JSON.stringify(signIn))}">`
  if (identityProviderIssuer === undefined) return meta
  return `${meta}<link rel="preconnect" href="${attribute(new URL(identityProviderIssuer).origin)}" crossorigin>`
}

const attribute = (value: string): string => value.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)

const pathOf = (url: string): string => url.split('?', 1)[0] as string

function sendAsset(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  reply
    .headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      // The service worker that enables seeking in encrypted media (ADR 0028) covers all pages of the console.
      'service-worker-allowed': '../../console',
    })
    .type(file.type)
  const accepted = request.headers['accept-encoding'] ?? ''
  for (const coding of ['br', 'gzip'] as const) {
    const content = file[coding]
    if (content !== undefined && takes(accepted, coding)) {
      return reply.header('content-encoding', coding).send(content)
    }
  }
  return reply.send(file.content)
}

function takes(accepted: string, coding: string): boolean {
  const named = accepted.split(',').map((one) =>
    one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  return named.some(([name, weight]) => name === coding && !/^q=0(\.0*)?$/.test(weight ?? ''))
}

/**
 * Paths of the console's own files: users' files on the same origin must not load as its programs, styles, or fonts.
 */
const paths = {
  'script-src': '/console/assets/',
  'style-src': '/console/assets/',
  'font-src': '/console/assets/',
  'worker-src': '/console/assets/',
  'base-uri': '/console/',
}

/** No inline code, no other origins, and no scripts from text. Object storage may also send and receive bytes. */
function headersOf({ consoleConnectOrigins, identityProviderIssuer, publicUrl }: ConsoleDeps): Record<string, string> {
  const provider = identityProviderIssuer === undefined ? [] : [new URL(identityProviderIssuer).origin]
  const from = (...sources: string[]) => [...sources, ...consoleConnectOrigins].join(' ')
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'font-src': "'self'",
    'img-src': from("'self'", 'blob:', 'data:'),
    'media-src': from("'self'", 'blob:'),
    'connect-src': [from("'self'"), ...provider].join(' '),
    'worker-src': "'self'",
    'base-uri': "'self'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': 'tideport-workers',
  }
  return {
    'content-security-policy': pagePolicy(policy, paths, publicUrl),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
}
