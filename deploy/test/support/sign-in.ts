import { createHash, randomUUID } from 'node:crypto'
import { openPersonBrowser } from '@tideport/testing/person-browser'

const client_id = 'tideport'
const scope = 'openid profile offline_access'

type Tokens = Partial<Record<'access_token' | 'refresh_token' | 'error', string>>

/** Signs a person in at Dex, as the console and the command line do. */
export function signInAt(issuer: string, { login, password }: { login: string; password: string }) {
  const browser = openPersonBrowser()
  const enter = (page: { url: string; html: string }) => browser.submit(page, { login, password })
  const post = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id, ...form })
    const response = await fetch(`${issuer}${path}`, { method: 'POST', body, signal: AbortSignal.timeout(60_000) })
    return (await response.json()) as Record<string, string>
  }

  return {
    async byBrowser(redirect_uri: string): Promise<Tokens> {
      const code_verifier = randomUUID() + randomUUID()
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
      const flow = { response_type: 'code', state: 'x', code_challenge, code_challenge_method: 'S256' }
      const query = new URLSearchParams({ client_id, scope, redirect_uri, ...flow })
      const returned = await enter(await browser.visit(`${issuer}/auth?${query}`))
      const code = new URL(returned.url).searchParams.get('code') ?? ''
      return await post('/token', { grant_type: 'authorization_code', code, redirect_uri, code_verifier })
    },
    async byDevice(): Promise<Tokens> {
      const { verification_uri_complete = '', user_code = '', device_code = '' } = await post('/device/code', { scope })
      await enter(await browser.submit(await browser.visit(verification_uri_complete), { user_code }))
      return await post('/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })
    },
    renew: ({ refresh_token = '' }: Tokens): Promise<Tokens> =>
      post('/token', { grant_type: 'refresh_token', refresh_token }),
  }
}
