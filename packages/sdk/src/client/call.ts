import { ProtocolError } from '../errors/transfer-errors.ts'
import type { Client } from './create-client.ts'
import { seenBefore } from './seen-before.ts'
import { type CallOptions, type Sent, sendForBytes, sendForJson } from './send.ts'

interface Marks {
  /** Fields that go into the query of a request with a body. Without a body, all fields outside the path do. */
  query?: readonly string[]
  isPublic?: true
  takesKey?: true
  repeatable?: true
}

type Input = Record<string, unknown>

type Args<I> = Partial<I> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions]

export type Call<I, A> = (client: Client, ...args: Args<I>) => Promise<A>
export type BytesCall<I> = (client: Client, ...args: Args<I>) => Promise<Response>
export type ListCall<I, Page, Item> = (client: Client, ...args: Args<I>) => List<Page, Item>

/** Iterates over every item and requests page by page. Rejects with a `ProtocolError` if a cursor repeats. */
export interface List<Page, Item> extends AsyncIterable<Item> {
  /** The page that the input selects, with its `nextCursor`. */
  page(): Promise<Page>
  /** Every page, starting with the one that the input selects. */
  pages(): AsyncIterable<Page>
}

export function call<I, A>(method: string, path: string, marks: Marks = {}): Call<I, A> {
  return async (client, ...[input, options]) => ask<A>(client, method, path, marks, input as Input, options)
}

export function bytesCall<I>(path: string, marks: Marks = {}): BytesCall<I> {
  return async (client, ...[input, options = {}]) => {
    const sent = requestOf('GET', path, marks, (input ?? {}) as Input, options)
    return await sendForBytes(client, { ...sent, isBytes: true }, options)
  }
}

export function listCall<I, Page extends { nextCursor: string | null }, Items extends keyof Page>(
  path: string,
  items: Items,
  marks: Marks = {},
): ListCall<I, Page, Page[Items] extends (infer Item)[] ? Item : never> {
  type Item = Page[Items] extends (infer One)[] ? One : never
  return (client, ...[input, options]) => {
    const page = async (more?: Input) => {
      const asked: Input = { ...(input as Input), ...more }
      const answer = await ask<Page>(client, 'GET', path, marks, asked, options)
      if (!Array.isArray(answer[items])) throw new ProtocolError(`The response to GET ${path} contains no list`)
      if (answer.nextCursor !== null && answer.nextCursor === asked.cursor) throw circle()
      return answer
    }
    async function* pages(): AsyncGenerator<Page> {
      const isSeen = seenBefore()
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const answer: Page = await page(cursor === undefined ? undefined : { cursor })
        yield answer
        cursor = answer.nextCursor
        if (cursor !== null && isSeen(cursor)) throw circle()
      }
    }
    return {
      page,
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const answer of pages()) yield* answer[items] as Item[]
      },
    }
  }
}

const circle = () => new ProtocolError('The list repeats a cursor')

async function ask<A>(
  client: Client,
  method: string,
  path: string,
  marks: Marks,
  input: Input = {},
  options: CallOptions = {},
): Promise<A> {
  return await sendForJson<A>(client, requestOf(method, path, marks, input, options), options)
}

function requestOf(method: string, path: string, marks: Marks, input: Input, options: CallOptions): Sent {
  const rest = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !path.split('/').includes(`:${name}`),
  )
  const takesBody = method !== 'GET' && method !== 'DELETE'
  const inQuery = rest.filter(([name]) => !takesBody || marks.query?.includes(name))
  const inBody = rest.filter(([name]) => takesBody && !marks.query?.includes(name))
  return {
    endpoint: `${method} ${path}`,
    method,
    path: fillPath(path, input) + queryOf(inQuery),
    headers: {
      ...(inBody.length > 0 && { 'content-type': 'application/json' }),
      // The same key for all attempts: a repeated request is the same request.
      ...(marks.takesKey && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
      ...conditionsOf(options),
      ...options.headers,
    },
    body: inBody.length > 0 ? JSON.stringify(Object.fromEntries(inBody)) : null,
    isPublic: marks.isPublic === true,
    repeatable: marks.repeatable === true || marks.takesKey === true,
  }
}

export function conditionsOf({
  ifMatch,
  ifNoneMatch,
}: Pick<CallOptions, 'ifMatch' | 'ifNoneMatch'>): Record<string, string> {
  return {
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  }
}

/** Rejects dot segments: URL parsing resolves them, even encoded, which would select another path. */
export function fillPath(path: string, input: Input): string {
  return path.replace(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = input[name]
    // `*` matches the rest of the path, with slashes.
    const parts = kind === '*' ? String(value).split('/') : [String(value)]
    if (value === undefined || parts.some((part) => /^\.{0,2}$/.test(part))) {
      throw new TypeError(`${name}: ${JSON.stringify(value)} is not valid in a URL path`)
    }
    return parts.map(encodeURIComponent).join('/')
  })
}

/** A list becomes one parameter per item. */
export function queryOf(fields: [string, unknown][]): string {
  const query = new URLSearchParams()
  for (const [name, value] of fields) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  }
  return query.size > 0 ? `?${query}` : ''
}
