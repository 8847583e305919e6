import type { Bundle } from './bundle.ts'
import { type Answer, clientOf, visitorOf } from './client.ts'

interface Asked {
  method?: string
  headers?: Record<string, string>
  /** Fields of a form. */
  form?: Record<string, string>
}

/** A visitor of links, with the cookies of earlier responses, like a browser or curl. */
export function openerOf(t: Bundle) {
  const cookies = new Map<string, string>()
  const visit = visitorOf(t)
  return async (url: string, { method = 'GET', headers = {}, form }: Asked = {}): Promise<Answer> => {
    const { pathname, search } = new URL(url, 'https://files.example')
    const [, own] = [...cookies].find(([path]) => pathname.startsWith(path)) ?? []
    const sent = { ...(own && { cookie: own }), ...headers }
    const answer = form
      ? await visit(pathname, { method: 'POST', headers: sent, body: new URLSearchParams(form) })
      : await visit(pathname + search, { method, headers: sent })
    const set = answer.headers.get('set-cookie')
    const [, pair, path] = /^([^;]+); Path=([^;]+);/.exec(set ?? '') ?? []
    if (pair && path) cookies.set(path, pair)
    return answer
  }
}

/** The Accept header of browsers. */
export const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
export const asProgram = { accept: 'application/json' }

/** An owner with a text file of ten bytes, and a function that creates links to it. */
export async function ownerWithFile(t: Bundle, fields: Record<string, unknown> = {}) {
  const owner = clientOf(t)
  const file = await owner.hotFile('0123456789', { name: 'a.txt', mimeType: 'text/plain', ...fields })
  const share = async (terms: Record<string, unknown> = {}) => {
    const { status, body } = await owner.call('POST', `/api/files/${file.id}/links`, { json: terms })
    if (status !== 201) throw new Error(`No link: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const stateOf = async (id: string) => (await owner.call('GET', `/api/links/${id}`)).body
  return { ...owner, file, share, stateOf }
}
