import { fetch } from '#fetch'
import { NetworkError, ProtocolError } from '../errors/transfer-errors.ts'
import { readText } from './read-text.ts'

export type Bytes = Uint8Array<ArrayBuffer>

/** An upload request to object storage. */
export interface Put {
  url: string
  headers: Record<string, string>
  body: Blob | Bytes
  signal: AbortSignal
  /** Called with the number of body bytes sent so far, as often as the platform reports it. */
  onSent: (bytes: number) => void
}

/** Sends the request. Rejects with a `NetworkError` or the signal's reason. */
export type PutBytes = (put: Put) => Promise<{ status: number; text: string }>

/** The used part of XMLHttpRequest, because not every project has the DOM types. */
interface BrowserRequest {
  status: number
  responseText: string
  upload: { onprogress: ((event: { loaded: number }) => void) | null }
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: Blob | Bytes): void
  abort(): void
}

/** XMLHttpRequest in browsers, because only it reports upload progress; otherwise `fetch`. */
export const putBytes: PutBytes = (put) => {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => BrowserRequest }
  return XMLHttpRequest ? putByXhr(put, new XMLHttpRequest()) : putByFetch(put)
}

async function putByFetch({ url, headers, body, signal, onSent }: Put) {
  try {
    // Redirects are not followed: a PUT would become a GET. (Workers do not support `error`.)
    const init: RequestInit = { method: 'PUT', headers: allowed(headers), body, signal, redirect: 'manual' }
    const response = await fetch(url, init, onSent)
    const text = await readText(response)
    if (response.ok) onSent(body instanceof Blob ? body.size : body.length)
    return { status: response.status, text }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof ProtocolError) throw error
    throw new NetworkError('The storage did not respond', { cause: withoutUrl(error) })
  }
}

function putByXhr(
  { url, headers, body, signal, onSent }: Put,
  request: BrowserRequest,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const onAbort = () => request.abort()
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    request.open('PUT', url)
    for (const [name, value] of Object.entries(allowed(headers))) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () => end(() => resolve({ status: request.status, text: request.responseText }))
    request.onerror = () => end(() => reject(new NetworkError('The storage did not respond')))
    request.onabort = () => end(() => reject(signal.reason))
    request.send(body)
  })
}

/** Every client sets the length itself, and browsers reject the header. */
function allowed(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length'))
}

/** Platform errors contain the URL, which is a secret. */
function withoutUrl(error: unknown): unknown {
  const cause = (error as { cause?: { code?: unknown } }).cause
  return cause?.code
}
