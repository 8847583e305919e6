import { request as send } from 'node:http'
import type { Bundle } from './bundle.ts'
import { type Client, clientOf } from './client.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at bodies of every shape
type Json = any

const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url')
const decoded = (text: string | null) => (text === null ? null : JSON.parse(Buffer.from(text, 'base64url').toString()))

interface PutOptions {
  /** Announced instead of the real length. */
  sizeBytes?: number
  trailer?: unknown
  bucket?: string
}

/** The internal endpoints of objects, as the S3 door calls them, for one vault. */
export async function objectsOf(t: Bundle, client: Client = clientOf(t), visibility: 'public' | 'private' = 'private') {
  const vault = await client.createVault(`bucket-${client.accountId.slice(-12)}`, visibility)
  return { vault, ...objectCalls(client, vault.slug) }
}

export function objectCalls(client: Client, slug: string) {
  const at = (path: string, key: string, query: Record<string, string> = {}, bucket = slug) =>
    `/internal/objects/${bucket}${path}?${new URLSearchParams({ key, ...query })}`
  const json = async (method: string, path: string, body: unknown) => {
    const { status, body: answer } = await client.call(method, path, { json: body })
    return { status, ...answer } as Json
  }

  return {
    ...{ at, client, slug },

    async put(key: string, bytes: Buffer | string, object: Json = {}, { sizeBytes, trailer, bucket }: PutOptions = {}) {
      const body = Buffer.from(bytes)
      const headers = {
        'x-tideport-object': encoded({ mimeType: 'text/plain', ...object, hasTrailer: trailer !== undefined }),
        'x-tideport-content-length': String(sizeBytes ?? body.length),
      }
      const all = trailer === undefined ? body : Buffer.concat([body, Buffer.from(JSON.stringify(trailer))])
      const { status, body: answer } = await client.call('PUT', at('', key, {}, bucket), { body: all, headers })
      return { status, ...answer } as Json
    },

    async get(key: string, headers: Record<string, string> = {}, query: Record<string, string> = {}, method = 'GET') {
      const { status, headers: given, bytes, body } = await client.call(method, at('', key, query), { headers })
      const object = decoded(given.get('x-tideport-object'))
      const range = given.get('content-range')
      return {
        status,
        object,
        bytes,
        range,
        length: given.get('content-length'),
        code: object ? null : body?.code,
      } as Json
    },

    copy: (key: string, source: Json, more: Json = {}) =>
      json('POST', at('/copy', key), { source: { slug, ...source }, ...more }),
    remove: async (key: string, query: Record<string, string> = {}) => {
      const { status, body } = await client.call('DELETE', at('', key, query))
      return { status, ...body } as Json
    },
    removeMany: (objects: Json[]) => json('POST', `/internal/objects/${slug}/delete`, { objects }),
    tags: async (key: string) => (await client.call('GET', at('/tags', key))).body as Json,
    putTags: (key: string, tags: Record<string, string>) => json('PUT', at('/tags', key), { tags }),
  }
}

type Objects = ReturnType<typeof objectCalls>

/** The headers of a PUT of an object. */
export async function putHead(t: Bundle, { client }: Pick<Objects, 'client'>, sizeBytes: number) {
  return {
    ...(await t.principalHeaders(client.accountId)),
    'x-tideport-object': encoded({ mimeType: 'text/plain' }),
    'x-tideport-content-length': String(sizeBytes),
    'content-length': String(sizeBytes),
  }
}

/** Sends the head and the first bytes of a PUT. Resolves when they are sent. */
export async function cutPut(t: Bundle, objects: Objects, key: string, bytes: Buffer) {
  const headers = await putHead(t, objects, bytes.length * 2)
  const put = send(new URL(objects.at('', key), t.address), { method: 'PUT', headers })
  put.on('error', () => {})
  await new Promise((resolve) => put.write(bytes, resolve))
  return put
}
