import { setTimeout as delay } from 'node:timers/promises'

export type Answer<Body> = { status: number; headers: Headers; body: Body; text: string }

export type CallOptions = {
  body?: unknown
  /** Override the client's own headers. */
  headers?: Record<string, string>
}

export type ApiClient = ReturnType<typeof createApiClient>

export type ClientOptions = {
  /** Returns a 503 like any other response. By default, the client retries a 503, as every client should. */
  takes503?: boolean
}

/** Sends `identity` with every request. No status throws an error. */
export function createApiClient(baseUrl: string, identity: Record<string, string> = {}, options: ClientOptions = {}) {
  async function call<Body>(method: string, path: string, sent: CallOptions = {}): Promise<Answer<Body>> {
    for (let left = options.takes503 ? 0 : 10; ; left--) {
      const answer = await ask<Body>(method, path, sent)
      if (answer.status !== 503 || left === 0) return answer
      await delay(1000 * Number(answer.headers.get('retry-after')))
    }
  }

  async function ask<Body>(method: string, path: string, { body, headers }: CallOptions): Promise<Answer<Body>> {
    const hasBody = body !== undefined
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...identity, ...(hasBody ? { 'Content-Type': 'application/json' } : {}), ...headers },
      ...(hasBody ? { body: JSON.stringify(body) } : {}),
      redirect: 'manual',
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parse(text) as Body, text }
  }

  return {
    baseUrl,
    identity,
    options,
    call,
    get: <Body>(path: string, headers?: Record<string, string>) => call<Body>('GET', path, headers ? { headers } : {}),
    post: <Body>(path: string, body?: unknown) => call<Body>('POST', path, { body }),
    patch: <Body>(path: string, body: unknown) => call<Body>('PATCH', path, { body }),
    delete: <Body>(path: string) => call<Body>('DELETE', path),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
