import type { IncomingHttpHeaders } from 'node:http'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { AuthClient } from './auth-client.ts'
import type { EnsureAccount } from './ensure-account.ts'
import { unauthenticated } from './unauthenticated.ts'

const PROVIDER_ID_MAX = 512

interface DevHeadersDeps {
  auth: Pick<AuthClient, 'findAccount'>
  ensureAccount: EnsureAccount
  issuer: string
  corsOrigins: readonly string[]
  developmentOperator?: string | undefined
}

type Found = Pick<AccountPrincipal, 'accountId' | 'subject' | 'isOperator'>

/**
 * The user ID takes precedence over the provider ID. The default is the first user (spec §5). 403 for foreign origins.
 */
export function createDevHeaders({ auth, ensureAccount, issuer, corsOrigins, developmentOperator }: DevHeadersDeps) {
  async function find(headers: IncomingHttpHeaders, clientAddress: string): Promise<Found> {
    const userId = one(headers['x-dev-user-id'])
    if (userId !== undefined) return { accountId: await auth.findAccount(userId) }
    const providerId = one(headers['x-dev-provider-id'])
    if (providerId === undefined) return { accountId: await auth.findAccount(undefined) }
    if (providerId === '' || providerId.length > PROVIDER_ID_MAX) throw unauthenticated()
    const login = { issuer, subject: providerId, method: 'development', clientAddress } as const
    const found = { accountId: await ensureAccount(login), subject: providerId }
    return providerId === developmentOperator ? { ...found, isOperator: true } : found
  }

  return async (headers: IncomingHttpHeaders, clientAddress: string): Promise<AccountPrincipal> => {
    if (isForeign(headers, corsOrigins)) {
      throw new AppError(
        'foreign_origin',
        'Development mode rejects requests from pages of other origins. Add the origin to CORS_ORIGINS to allow them.',
      )
    }
    return { kind: 'account', ...(await find(headers, clientAddress)), method: 'development', scopes: null }
  }
}

/** Node joins repeated headers, so two IDs become one ID that does not exist. */
function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join() : header
}

/**
 * Sent from a page of another origin. The page cannot read the response, but the request takes effect (RFC 6454 §7.2).
 */
function isForeign(headers: IncomingHttpHeaders, corsOrigins: readonly string[]): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin === undefined) return site === 'cross-site' || site === 'same-site'
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return false
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase()
}
