import type { MediaAnswer, MediaQuestion } from './media-protocol.ts'

/*
 * Serves ranges of private files to <audio> and <video>: the page's worker decrypts each. Caches nothing, and ignores
 * all other requests.
 */
interface FetchEvent extends Event {
  request: Request
  clientId: string
  respondWith(answer: Promise<Response>): void
}

interface Scope {
  registration: { scope: string }
  skipWaiting(): Promise<void>
  clients: {
    claim(): Promise<void>
    get(id: string): Promise<{ postMessage(message: MediaQuestion, transfer: Transferable[]): void } | undefined>
  }
  addEventListener(type: string, run: (event: never) => void): void
}

const scope = self as unknown as Scope
const ANSWER_MS = 60_000

scope.addEventListener('install', (event: ExtendableEvent) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', (event: ExtendableEvent) => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', (event: FetchEvent) => {
  const prefix = `${scope.registration.scope}/private-media/`
  if (event.request.url.startsWith(prefix)) event.respondWith(answer(event, event.request.url.slice(prefix.length)))
})

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<void>): void
}

async function answer({ request, clientId }: FetchEvent, fileId: string): Promise<Response> {
  // As a document, the file would run in the console's origin.
  if (request.destination !== 'audio' && request.destination !== 'video') return new Response(null, { status: 404 })
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? []
  const page = await scope.clients.get(clientId)
  if (page === undefined) return new Response(null, { status: 404 })
  const told = await ask(page, { fileId, start: Number(from), end: to === '' ? null : Number(to) + 1 })
  if (told === null) return new Response(null, { status: 503 })
  const isEmpty = told.sizeBytes === 0
  if (told.bytes.length === 0 && !isEmpty) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${told.sizeBytes}` } })
  }
  const last = Number(from) + told.bytes.length - 1
  return new Response(told.bytes, {
    // Ignores a range of an empty file, like the API.
    status: isEmpty ? 200 : 206,
    headers: {
      'content-type': told.mimeType,
      ...(!isEmpty && { 'content-range': `bytes ${from}-${last}/${told.sizeBytes}` }),
      'content-length': String(told.bytes.length),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  })
}

/** Null: the vault is locked, the page shows another file, or no bytes arrived in time. */
function ask(
  page: { postMessage(message: MediaQuestion, transfer: Transferable[]): void },
  question: MediaQuestion,
): Promise<MediaAnswer | null> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), ANSWER_MS)
    port1.onmessage = ({ data }: MessageEvent<MediaAnswer | null>) => {
      clearTimeout(timer)
      resolve(data)
    }
    page.postMessage(question, [port2])
  })
}
