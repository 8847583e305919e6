import type { MediaAnswer, MediaQuestion } from './media-protocol.ts'

/*
 * Answers what <audio> and <video> ask of a private file, so that they seek in it: each range by the page that shows it,
 * whose worker decrypts. Nothing is kept here, and all else goes by as if this were not there.
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
  // Only these elements: as a page of its own what is in the file would be of the console's origin.
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
    // As the API: no range of an empty file can be satisfied, so it is ignored.
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

/** Null: the vault was locked, the page shows something else now, or the bytes did not come. */
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
