import type { Client } from '../client/create-client.ts'

/** A `fetch` that keeps the cookies of one link, outside browsers, which keep them by themselves. */
export function createCookies(fetch: Client['fetch']): Client['fetch'] {
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
