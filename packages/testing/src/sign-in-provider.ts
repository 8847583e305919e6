import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider'
import { closeAtOnce, listenOnLoopback } from './loopback-server.ts'
import { generateSigningKeys } from './signing-keys.ts'

const audience = 'https://tideport.example'
const clientId = 'tideport'
const consoles = ['http://127.0.0.1/console/', 'http://localhost/console/']

/**
 * A real OpenID provider with a public client: PKCE, the device flow, one-time refresh tokens, revocation, and
 * sign-out. Signs in every browser as the same `subject`.
 */
export async function startSignInProvider({ accessTokenSeconds = 3600 } = {}) {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => {
    handle(request, response)
  })
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const provider = await createProvider(issuer, accessTokenSeconds)
  const subject = `person-${crypto.randomUUID()}`
  const callback = provider.callback()
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void finish(provider, subject, request, response)
    else void callback(request, response)
  }
  return {
    issuer,
    audience,
    clientId,
    [Symbol.asyncDispose]: () => closeAtOnce(server),
  }
}

async function createProvider(issuer: string, accessTokenSeconds: number): Promise<Provider> {
  const keys = await generateSigningKeys()
  return new Provider(issuer, {
    adapter: keptInMemory(),
    jwks: { keys: Object.values(keys) } as never,
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        // A loopback redirect URI matches any port (RFC 8252 §7.3).
        redirect_uris: ['http://127.0.0.1/callback', ...consoles],
        post_logout_redirect_uris: consoles,
      },
    ],
    clientBasedCORS: () => true,
    cookies: { keys: [crypto.randomUUID()] },
    findAccount: (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: accessTokenSeconds, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600, IdToken: 600, AuthorizationCode: 60, DeviceCode: 600 }, // biome-ignore format: one line
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'openid', audience, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }), // biome-ignore format: one line
      },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  })
}

async function finish(provider: Provider, accountId: string, request: IncomingMessage, response: ServerResponse) {
  const { prompt } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    return await provider.interactionFinished(request, response, { login: { accountId } })
  }
  const grant = new provider.Grant({ accountId, clientId })
  grant.addOIDCScope('openid')
  grant.addResourceScope(audience, 'openid')
  const result = { consent: { grantId: await grant.save() } }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
}

function keptInMemory(): (name: string) => Adapter {
  const kept = new Map<string, AdapterPayload>()
  return (name) => {
    const all = () => [...kept].filter(([key]) => key.startsWith(`${name} `)).map(([, payload]) => payload)
    return {
      upsert: async (id, payload) => void kept.set(`${name} ${id}`, payload),
      find: async (id) => kept.get(`${name} ${id}`),
      findByUserCode: async (userCode) => all().find((payload) => payload.userCode === userCode),
      findByUid: async (uid) => all().find((payload) => payload.uid === uid),
      consume: async (id) => {
        const payload = kept.get(`${name} ${id}`)
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void kept.delete(`${name} ${id}`),
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key)
      },
    }
  }
}
