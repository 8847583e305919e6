import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

export type RawAnswer = { status: number; headers: [string, string][]; body: Buffer }

/** A request that `fetch` would tidy up or refuse: the target, headers and body go out exactly as given. */
export async function rawRequest(
  baseUrl: string,
  options: { method?: string; target: string; headers?: Record<string, string | string[]>; body?: string | Buffer },
): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  const { method = 'GET', target, headers = {}, body } = options
  const outgoing = request({ hostname, port, method, path: target, headers, agent: false })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const pairs = answer.rawHeaders.flatMap((name, index, all): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), all[index + 1] as string]] : [],
  )
  return { status: answer.statusCode ?? 0, headers: pairs, body: await buffer(answer) }
}
