import type { Client } from './client.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at bodies of every shape
type Json = any

/** The internal endpoints of uploads in parts of one vault. */
export function uploadsOf(client: Client, slug: string) {
  const at = (path: string, query: Record<string, string>) =>
    `/internal/object-uploads/${slug}${path}?${new URLSearchParams(query)}`
  return {
    begin: (key: string, more: Json = {}) =>
      client.call('POST', at('', { key }), {
        json: { mimeType: 'text/plain', headers: {}, metadata: {}, tags: null, ...more },
      }),
    async open(key: string, more: Json = {}): Promise<string> {
      return (await this.begin(key, more)).body.uploadId
    },
    part: (key: string, id: string, number: number, bytes: Buffer, claim: Json = {}, trailer = Buffer.alloc(0)) =>
      client.call('PUT', at(`/${id}/parts/${number}`, { key }), {
        body: Buffer.concat([bytes, trailer]),
        headers: {
          'x-tideport-object': Buffer.from(JSON.stringify(claim)).toString('base64url'),
          'x-tideport-content-length': String(bytes.length),
        },
      }),
    copy: (key: string, id: string, number: number, source: Json, range: Json = null) =>
      client.call('POST', at(`/${id}/parts/${number}/copy`, { key }), { json: { source: { slug, ...source }, range } }),
    parts: (key: string, id: string, query: Record<string, string> = {}) =>
      client.call('GET', at(`/${id}`, { key, ...query })),
    complete: (key: string, id: string, parts: Json[], more: Json = {}) =>
      client.call('POST', at(`/${id}/complete`, { key }), { json: { parts, ...more } }),
    abort: (key: string, id: string, query: Record<string, string> = {}) =>
      client.call('DELETE', at(`/${id}`, { key, ...query })),
    list: async (query: Record<string, string> = {}) => (await client.call('GET', at('', query))).body,
  }
}
