import { fillPath, queryOf } from '../client/call.ts'
import { type Client, type ClientOptions, createClient } from '../client/create-client.ts'
import { orAbort } from '../client/or-abort.ts'
import { readText } from '../client/read-text.ts'
import { seenBefore } from '../client/seen-before.ts'
import { sendForJson } from '../client/send.ts'
import { readError } from '../errors/read-error.ts'
import { ProtocolError } from '../errors/transfer-errors.ts'
import type { LinkedFile, OpenedLink } from '../generated/shapes.ts'
import { leavable, placesIn, readBytes, streamOf } from '../transfer/read-bytes.ts'

export interface OpenLinkOptions extends Pick<ClientOptions, 'fetch' | 'timeoutMs' | 'attempts'> {
  /** Password of the link. In browsers, it works only on the origin of the link. */
  password?: string | undefined
  signal?: AbortSignal | undefined
}

export interface SharedLink extends Omit<OpenedLink, 'files' | 'folders' | 'nextCursor'> {
  /** Every file of the link, or of one of its folders. */
  files(folder?: string): AsyncGenerator<LinkedFile>
  /** The bytes of a file, with resumption and checks as in `download`. */
  read(
    file: LinkedFile,
    options?: { start?: number | undefined; end?: number | undefined; signal?: AbortSignal | undefined },
  ): ReadableStream<Uint8Array<ArrayBuffer>>
}

/**
 * Opens a link (`https://…/s/TOKEN`) without an account; opening is not a download. Rejects with a `NotFoundError` for
 * an expired or revoked link, a `PasswordRequiredError`, a `WrongPasswordError`, or the errors of a call.
 */
export async function openLink(
  link: string,
  { password, signal, ...options }: OpenLinkOptions = {},
): Promise<SharedLink> {
  const [, baseUrl, token] = /^(https?:\/\/[^?#]+)\/s\/([\w-]+)\/?(?:[?#].*)?$/.exec(link.trim()) ?? []
  if (baseUrl === undefined || token === undefined)
    throw new TypeError('The URL is not a file link (https://…/s/TOKEN)')
  const plain = createClient({ ...options, baseUrl })
  const client = { ...plain, fetch: createCookies(plain.fetch) }
  if (password !== undefined) await unlock(client, token, password, signal)

  const page = (query: [string, unknown][]): Promise<OpenedLink> =>
    sendForJson<OpenedLink>(client, { ...readable, path: `/s/${token}${queryOf(query)}` }, { signal })

  async function* files(folder?: string): AsyncGenerator<LinkedFile> {
    const path: [string, unknown][] = folder ? [['path', folder]] : []
    const folders: string[] = []
    const isSeen = seenBefore()
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const answer = await page(cursor === undefined ? path : [...path, ['cursor', cursor]])
      yield* answer.files
      folders.push(...answer.folders.map((one) => one.path))
      cursor = answer.nextCursor
      if (cursor !== null && isSeen(cursor)) throw new ProtocolError('The list of the folder repeats a cursor')
    }
    for (const one of folders) {
      if (folder && (one === folder || !one.startsWith(folder)))
        throw new ProtocolError('The service returned a folder outside its parent folder')
      yield* files(one)
    }
  }

  const { files: _files, folders: _folders, nextCursor: _next, ...about } = await page([])
  return { ...about, files, read: (file, range) => readFrom(client, contentPath(about.kind, token, file), file, range) }
}

const readable = {
  endpoint: 'GET /s/:token',
  method: 'GET',
  headers: { accept: 'application/json' },
  isPublic: true,
  repeatable: true,
}

const contentPath = (kind: OpenedLink['kind'], token: string, { path }: LinkedFile) =>
  kind === 'file' ? `/s/${token}/content` : fillPath(`/s/${token}/content/*path`, { path })

function readFrom(
  client: Client,
  path: string,
  { sizeBytes, checksumSha256 }: LinkedFile,
  { start: from, end: to, signal }: Parameters<SharedLink['read']>[1] = {},
) {
  const { start, end } = placesIn(sizeBytes, from, to)
  const ask = (headers: Record<string, string>, reads: AbortSignal) =>
    client.fetch(client.baseUrl + path, { headers, signal: reads })
  const { left, either } = leavable(signal)
  return streamOf(readBytes(client, { start, end, sizeBytes, checksumSha256, ask }, either), left)
}

/** The service returns a cookie for the right password. */
async function unlock(client: Client, token: string, password: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = AbortSignal.timeout(client.timeoutMs)
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline
  const ask = async () => {
    const response = await client.fetch(`${client.baseUrl}/s/${token}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ password }),
      redirect: 'manual',
      signal: either,
    })
    const text = await readText(response)
    if (response.status >= 400) throw readError(response, text, 'POST /s/:token')
  }
  await orAbort(ask(), either)
}

/** A `fetch` that keeps the cookies of one link outside browsers. */
function createCookies(fetch: Client['fetch']): Client['fetch'] {
  const kept = new Map<string, string>()
  return async (url, init) => {
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) }
    const response = await fetch(url, { ...init, headers })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=;\s]+)=([^;]*)/.exec(set) ?? []
      if (name !== undefined && value !== undefined) kept.set(name, value)
    }
    return response
  }
}
